-- Baseline for PostgreSQL, part 3 of 3: the triggers that write the change log, in the transaction of each write.


-- Keeps at least the latest 4,096 changes. About every 64th change deletes older ones, those of the oldest transactions
-- first, so that the rest has no gap. The advisory lock (0x666f7267, "forg") prevents concurrent deletions.
CREATE FUNCTION changes_forgotten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF random() < 1.0 / 64 AND pg_try_advisory_xact_lock(1718579815) THEN
        DELETE FROM changes WHERE transaction_id < (
            SELECT transaction_id FROM changes
            WHERE number <= NEW.number - 4096
            ORDER BY number DESC LIMIT 1
        );
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER changes_forgotten
AFTER INSERT ON changes
FOR EACH ROW EXECUTE FUNCTION changes_forgotten();

-- Every change of a row that responses contain adds a row to `changes`.
CREATE FUNCTION events_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER events_added AFTER INSERT ON events
FOR EACH ROW EXECUTE FUNCTION events_added();
CREATE FUNCTION events_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER events_removed AFTER DELETE ON events
FOR EACH ROW EXECUTE FUNCTION events_removed();

-- These columns determine which lists contain an event, its position in them, and who may read it.
CREATE FUNCTION events_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER events_decided AFTER UPDATE OF
    status, slug, published_at, author_id, starts_at, ends_at, post_parent, hide_from_listings, sticky,
    featured, ticketed, located ON events
FOR EACH ROW EXECUTE FUNCTION events_decided();

-- These columns affect only searches and the representation of the event: other responses without the event stay valid.
CREATE FUNCTION events_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NEW.id); RETURN NULL; END $$;
CREATE TRIGGER events_told AFTER UPDATE OF
    version, modified_at, title, description, search_text, image_id, excerpt, timezone, cost, website,
    custom_fields, all_day, show_map, show_map_link ON events
FOR EACH ROW EXECUTE FUNCTION events_told();

-- Links are inserted and deleted; their denormalised columns change with the event.
CREATE FUNCTION event_venues_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER event_venues_added AFTER INSERT ON event_venues
FOR EACH ROW EXECUTE FUNCTION event_venues_added();
CREATE FUNCTION event_venues_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER event_venues_removed AFTER DELETE ON event_venues
FOR EACH ROW EXECUTE FUNCTION event_venues_removed();
CREATE FUNCTION event_organizers_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER event_organizers_added AFTER INSERT ON event_organizers
FOR EACH ROW EXECUTE FUNCTION event_organizers_added();
CREATE FUNCTION event_organizers_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER event_organizers_removed AFTER DELETE ON event_organizers
FOR EACH ROW EXECUTE FUNCTION event_organizers_removed();
CREATE FUNCTION event_categories_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER event_categories_added AFTER INSERT ON event_categories
FOR EACH ROW EXECUTE FUNCTION event_categories_added();
CREATE FUNCTION event_categories_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER event_categories_removed AFTER DELETE ON event_categories
FOR EACH ROW EXECUTE FUNCTION event_categories_removed();
CREATE FUNCTION event_tags_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER event_tags_added AFTER INSERT ON event_tags
FOR EACH ROW EXECUTE FUNCTION event_tags_added();
CREATE FUNCTION event_tags_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER event_tags_removed AFTER DELETE ON event_tags
FOR EACH ROW EXECUTE FUNCTION event_tags_removed();

CREATE FUNCTION venues_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER venues_added AFTER INSERT ON venues
FOR EACH ROW EXECUTE FUNCTION venues_added();
CREATE FUNCTION venues_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER venues_changed AFTER UPDATE ON venues
FOR EACH ROW EXECUTE FUNCTION venues_changed();
CREATE FUNCTION venues_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER venues_removed AFTER DELETE ON venues
FOR EACH ROW EXECUTE FUNCTION venues_removed();

CREATE FUNCTION organizers_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER organizers_added AFTER INSERT ON organizers
FOR EACH ROW EXECUTE FUNCTION organizers_added();
CREATE FUNCTION organizers_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER organizers_changed AFTER UPDATE ON organizers
FOR EACH ROW EXECUTE FUNCTION organizers_changed();
CREATE FUNCTION organizers_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER organizers_removed AFTER DELETE ON organizers
FOR EACH ROW EXECUTE FUNCTION organizers_removed();

CREATE FUNCTION categories_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER categories_added AFTER INSERT ON categories
FOR EACH ROW EXECUTE FUNCTION categories_added();
CREATE FUNCTION categories_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER categories_changed AFTER UPDATE ON categories
FOR EACH ROW EXECUTE FUNCTION categories_changed();
CREATE FUNCTION categories_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER categories_removed AFTER DELETE ON categories
FOR EACH ROW EXECUTE FUNCTION categories_removed();

CREATE FUNCTION tags_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER tags_added AFTER INSERT ON tags
FOR EACH ROW EXECUTE FUNCTION tags_added();
CREATE FUNCTION tags_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER tags_changed AFTER UPDATE ON tags
FOR EACH ROW EXECUTE FUNCTION tags_changed();
CREATE FUNCTION tags_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER tags_removed AFTER DELETE ON tags
FOR EACH ROW EXECUTE FUNCTION tags_removed();

CREATE FUNCTION images_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER images_added AFTER INSERT ON images
FOR EACH ROW EXECUTE FUNCTION images_added();
CREATE FUNCTION images_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER images_changed AFTER UPDATE ON images
FOR EACH ROW EXECUTE FUNCTION images_changed();
CREATE FUNCTION images_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER images_removed AFTER DELETE ON images
FOR EACH ROW EXECUTE FUNCTION images_removed();

CREATE FUNCTION users_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER users_added AFTER INSERT ON users
FOR EACH ROW EXECUTE FUNCTION users_added();
CREATE FUNCTION users_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER users_changed AFTER UPDATE ON users
FOR EACH ROW EXECUTE FUNCTION users_changed();
CREATE FUNCTION users_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;
CREATE TRIGGER users_removed AFTER DELETE ON users
FOR EACH ROW EXECUTE FUNCTION users_removed();
