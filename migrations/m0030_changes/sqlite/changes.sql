-- Changes of objects, on SQLite: when each event, venue, organizer, category and tag was changed last.


-- The change log says what has changed for responses in memory, and keeps the latest rows only. This table has one row
-- for each object that was changed, and keeps it for months, so that copies of the calendar learn of all changes,
-- deletions included: an object that no longer exists keeps its row.
-- `number` is the order of the changes. SQLite has one writer, so that they are committed in this order, and
-- AUTOINCREMENT never uses a number again, even after the row was deleted.
CREATE TABLE object_changes (
    number     integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind       text    NOT NULL,
    object_id  bigint  NOT NULL,
    changed_at bigint  NOT NULL DEFAULT (unixepoch())
);
CREATE UNIQUE INDEX object_changes_object ON object_changes (kind, object_id);

-- The histories of this database. A server adds one when it starts: if the file was replaced by an older copy in the
-- meantime, numbers above `first_number` mean other changes than they did in the history before.
CREATE TABLE change_epochs (
    id           integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    uuid         text    NOT NULL,
    first_number bigint  NOT NULL,
    created_at   bigint  NOT NULL DEFAULT (unixepoch())
);
INSERT INTO change_epochs (uuid, first_number) VALUES (lower(hex(randomblob(16))), 0);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('object_changes', 'object_changes_object', '100000 20000 1');
ANALYZE sqlite_schema;


-- Every object has at most one row, that of its last change. Columns that triggers derive from other rows are no part
-- of a representation, so that their changes do not count. Every write of this program increments `version`.
CREATE TRIGGER events_changes_insert AFTER INSERT ON events
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'event' AND object_id = NEW.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('event', NEW.id);
END;
CREATE TRIGGER events_changes_update AFTER UPDATE OF
    version, status, slug, published_at, author_id, image_id, title, description, excerpt, starts_at, ends_at,
    timezone, cost, website, custom_fields, event_status, post_parent, all_day, show_map, show_map_link,
    hide_from_listings, sticky, featured, ticketed, series_id, recurrence_id, overridden ON events
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'event' AND object_id = NEW.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('event', NEW.id);
END;
CREATE TRIGGER events_changes_delete AFTER DELETE ON events
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'event' AND object_id = OLD.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('event', OLD.id);
END;

CREATE TRIGGER venues_changes_insert AFTER INSERT ON venues
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'venue' AND object_id = NEW.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('venue', NEW.id);
END;
CREATE TRIGGER venues_changes_update AFTER UPDATE OF
    version, status, slug, published_at, author_id, image_id, title, description, address, city, country,
    province, state, zip, phone, website, geo_lat, geo_lng, show_map, show_map_link ON venues
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'venue' AND object_id = NEW.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('venue', NEW.id);
END;
CREATE TRIGGER venues_changes_delete AFTER DELETE ON venues
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'venue' AND object_id = OLD.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('venue', OLD.id);
END;

CREATE TRIGGER organizers_changes_insert AFTER INSERT ON organizers
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'organizer' AND object_id = NEW.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('organizer', NEW.id);
END;
CREATE TRIGGER organizers_changes_update AFTER UPDATE OF
    version, status, slug, published_at, author_id, image_id, title, description, phone, website, email ON organizers
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'organizer' AND object_id = NEW.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('organizer', NEW.id);
END;
CREATE TRIGGER organizers_changes_delete AFTER DELETE ON organizers
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'organizer' AND object_id = OLD.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('organizer', OLD.id);
END;

CREATE TRIGGER categories_changes_insert AFTER INSERT ON categories
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'category' AND object_id = NEW.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('category', NEW.id);
END;
CREATE TRIGGER categories_changes_update AFTER UPDATE OF
    version, name, slug, description, parent ON categories
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'category' AND object_id = NEW.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('category', NEW.id);
END;
CREATE TRIGGER categories_changes_delete AFTER DELETE ON categories
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'category' AND object_id = OLD.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('category', OLD.id);
END;

CREATE TRIGGER tags_changes_insert AFTER INSERT ON tags
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'tag' AND object_id = NEW.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('tag', NEW.id);
END;
CREATE TRIGGER tags_changes_update AFTER UPDATE OF
    version, name, slug, description ON tags
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'tag' AND object_id = NEW.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('tag', NEW.id);
END;
CREATE TRIGGER tags_changes_delete AFTER DELETE ON tags
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'tag' AND object_id = OLD.id;
    INSERT INTO object_changes (kind, object_id) VALUES ('tag', OLD.id);
END;

-- An event that loses a link has changed: a deleted category, tag, venue or organizer takes its links with it. An event
-- that gets a link needs no trigger, because links are inserted with the event or with its next version.
CREATE TRIGGER event_venues_changes_delete AFTER DELETE ON event_venues
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'event' AND object_id = OLD.event_id;
    INSERT INTO object_changes (kind, object_id) VALUES ('event', OLD.event_id);
END;
CREATE TRIGGER event_organizers_changes_delete AFTER DELETE ON event_organizers
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'event' AND object_id = OLD.event_id;
    INSERT INTO object_changes (kind, object_id) VALUES ('event', OLD.event_id);
END;
CREATE TRIGGER event_categories_changes_delete AFTER DELETE ON event_categories
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'event' AND object_id = OLD.event_id;
    INSERT INTO object_changes (kind, object_id) VALUES ('event', OLD.event_id);
END;
CREATE TRIGGER event_tags_changes_delete AFTER DELETE ON event_tags
FOR EACH ROW BEGIN
    DELETE FROM object_changes WHERE kind = 'event' AND object_id = OLD.event_id;
    INSERT INTO object_changes (kind, object_id) VALUES ('event', OLD.event_id);
END;
