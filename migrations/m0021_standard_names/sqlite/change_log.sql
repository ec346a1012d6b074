-- Standard names on SQLite, part 3 of 4: the triggers that write the change log, in the transaction of each write.


-- Keeps at least the latest 4,096 changes. Every 64th change deletes the older ones.
CREATE TRIGGER change_log_trim
AFTER INSERT ON change_log
FOR EACH ROW BEGIN
    DELETE FROM change_log WHERE number <= CASE WHEN NEW.number % 64 = 0 THEN NEW.number - 4096 END;
END;

-- Every change of a row that responses contain adds a row to `change_log`.
CREATE TRIGGER events_log_insert AFTER INSERT ON events
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER events_log_delete AFTER DELETE ON events
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;

-- These columns determine which lists contain an event, its position in them, and who may read it.
CREATE TRIGGER events_log_update AFTER UPDATE OF
    status, slug, published_at, author_id, starts_at, ends_at, post_parent, hide_from_listings, sticky,
    featured, ticketed, located ON events
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;

-- These columns affect only searches and the representation of the event: other responses without the event stay valid.
CREATE TRIGGER events_log_text_update AFTER UPDATE OF
    version, modified_at, title, description, search_text, image_id, excerpt, timezone, cost, website,
    custom_fields, all_day, show_map, show_map_link ON events
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NEW.id); END;

-- Links are inserted and deleted; their denormalised columns change with the event.
CREATE TRIGGER event_venues_log_insert AFTER INSERT ON event_venues
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER event_venues_log_delete AFTER DELETE ON event_venues
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER event_organizers_log_insert AFTER INSERT ON event_organizers
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER event_organizers_log_delete AFTER DELETE ON event_organizers
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER event_categories_log_insert AFTER INSERT ON event_categories
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER event_categories_log_delete AFTER DELETE ON event_categories
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER event_tags_log_insert AFTER INSERT ON event_tags
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER event_tags_log_delete AFTER DELETE ON event_tags
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;

CREATE TRIGGER venues_log_insert AFTER INSERT ON venues
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER venues_log_update AFTER UPDATE ON venues
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER venues_log_delete AFTER DELETE ON venues
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;

CREATE TRIGGER organizers_log_insert AFTER INSERT ON organizers
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER organizers_log_update AFTER UPDATE ON organizers
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER organizers_log_delete AFTER DELETE ON organizers
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;

CREATE TRIGGER categories_log_insert AFTER INSERT ON categories
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER categories_log_update AFTER UPDATE ON categories
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER categories_log_delete AFTER DELETE ON categories
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;

CREATE TRIGGER tags_log_insert AFTER INSERT ON tags
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER tags_log_update AFTER UPDATE ON tags
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER tags_log_delete AFTER DELETE ON tags
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;

CREATE TRIGGER images_log_insert AFTER INSERT ON images
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER images_log_update AFTER UPDATE ON images
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER images_log_delete AFTER DELETE ON images
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;

CREATE TRIGGER users_log_insert AFTER INSERT ON users
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER users_log_update AFTER UPDATE ON users
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER users_log_delete AFTER DELETE ON users
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
