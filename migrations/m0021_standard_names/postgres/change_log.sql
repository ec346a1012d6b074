-- Standard names on PostgreSQL, part 3 of 3: the triggers that write the change log, in the transaction of each write.


-- Keeps at least the latest 4,096 changes. About every 64th change deletes older ones, those of the oldest transactions
-- first, so that the rest has no gap. The advisory lock (0x666f7267, "forg") prevents concurrent deletions.
CREATE FUNCTION change_log_trim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF random() < 1.0 / 64 AND pg_try_advisory_xact_lock(1718579815) THEN
        DELETE FROM change_log WHERE transaction_id < (
            SELECT transaction_id FROM change_log
            WHERE number <= NEW.number - 4096
            ORDER BY number DESC LIMIT 1
        );
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER change_log_trim
AFTER INSERT ON change_log
FOR EACH ROW EXECUTE FUNCTION change_log_trim();

-- Every change of a row that responses contain adds a row to `change_log`.
CREATE FUNCTION log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO change_log (event_id) VALUES (NULL);
    RETURN NULL;
END $$;

CREATE FUNCTION log_event_text_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO change_log (event_id) VALUES (NEW.id);
    RETURN NULL;
END $$;

-- These columns determine which lists contain an event, its position in them, and who may read it.
CREATE TRIGGER events_log AFTER INSERT OR DELETE OR UPDATE OF
    status, slug, published_at, author_id, starts_at, ends_at, post_parent, hide_from_listings, sticky,
    featured, ticketed, located ON events
FOR EACH ROW EXECUTE FUNCTION log_change();

-- These columns affect only searches and the representation of the event: other responses without the event stay valid.
CREATE TRIGGER events_log_text AFTER UPDATE OF
    version, modified_at, title, description, search_text, image_id, excerpt, timezone, cost, website,
    custom_fields, all_day, show_map, show_map_link ON events
FOR EACH ROW EXECUTE FUNCTION log_event_text_change();

-- Links are inserted and deleted; their denormalised columns change with the event.
CREATE TRIGGER event_venues_log AFTER INSERT OR DELETE ON event_venues
FOR EACH ROW EXECUTE FUNCTION log_change();
CREATE TRIGGER event_organizers_log AFTER INSERT OR DELETE ON event_organizers
FOR EACH ROW EXECUTE FUNCTION log_change();
CREATE TRIGGER event_categories_log AFTER INSERT OR DELETE ON event_categories
FOR EACH ROW EXECUTE FUNCTION log_change();
CREATE TRIGGER event_tags_log AFTER INSERT OR DELETE ON event_tags
FOR EACH ROW EXECUTE FUNCTION log_change();

CREATE TRIGGER venues_log AFTER INSERT OR UPDATE OR DELETE ON venues
FOR EACH ROW EXECUTE FUNCTION log_change();
CREATE TRIGGER organizers_log AFTER INSERT OR UPDATE OR DELETE ON organizers
FOR EACH ROW EXECUTE FUNCTION log_change();
CREATE TRIGGER categories_log AFTER INSERT OR UPDATE OR DELETE ON categories
FOR EACH ROW EXECUTE FUNCTION log_change();
CREATE TRIGGER tags_log AFTER INSERT OR UPDATE OR DELETE ON tags
FOR EACH ROW EXECUTE FUNCTION log_change();
CREATE TRIGGER images_log AFTER INSERT OR UPDATE OR DELETE ON images
FOR EACH ROW EXECUTE FUNCTION log_change();
CREATE TRIGGER users_log AFTER INSERT OR UPDATE OR DELETE ON users
FOR EACH ROW EXECUTE FUNCTION log_change();
