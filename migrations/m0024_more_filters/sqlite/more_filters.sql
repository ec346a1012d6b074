-- More filters and orders of lists, on SQLite: the status of events, their titles and prices in a comparable form, and
-- the time of the last change of categories and tags.

-- `title_key` is derived from the title (null until it has been computed), `cost_min` and `cost_max` from the cost: its
-- lowest and highest amount in hundredths, null if it has none.
ALTER TABLE events ADD COLUMN event_status text NOT NULL DEFAULT 'scheduled';
ALTER TABLE events ADD COLUMN title_key text;
ALTER TABLE events ADD COLUMN cost_min bigint;
ALTER TABLE events ADD COLUMN cost_max bigint;

-- Changes before this step have not been recorded.
ALTER TABLE categories ADD COLUMN modified_at bigint NOT NULL DEFAULT 0;
ALTER TABLE tags ADD COLUMN modified_at bigint NOT NULL DEFAULT 0;

-- Lists read the columns of filters from the index that has their order.
DROP INDEX events_listing;
CREATE INDEX events_listing ON events (
    status, hide_from_listings, starts_at, id, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status
);
CREATE INDEX events_title ON events (
    status, hide_from_listings, title_key, starts_at, id, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status
);
CREATE INDEX events_modified ON events (
    status, hide_from_listings, modified_at, id, starts_at, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status
);
DROP INDEX events_author;
CREATE INDEX events_author ON events (
    author_id, status, hide_from_listings, starts_at, id, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status
);
DROP INDEX events_by_id;
CREATE INDEX events_by_id ON events (
    CAST(id AS integer), status, hide_from_listings, starts_at, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status
);
CREATE INDEX events_without_title_key ON events (id) WHERE title_key IS NULL;
CREATE INDEX venues_modified ON venues (status, modified_at, published_at, id);
CREATE INDEX organizers_modified ON organizers (status, modified_at, published_at, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('events', 'events_listing', '1000000 250000 125000 6 1 1 1 1 1 1 1 1 1'),
    ('events', 'events_title', '1000000 250000 125000 20 1 1 1 1 1 1 1 1 1 1'),
    ('events', 'events_modified', '1000000 250000 125000 2 1 1 1 1 1 1 1 1 1 1'),
    ('events', 'events_author', '1000000 20000 18000 17000 1 1 1 1 1 1 1 1 1 1'),
    ('events', 'events_by_id', '1000000 1 1 1 1 1 1 1 1 1 1 1 1'),
    ('venues', 'venues_modified', '20000 10000 1 1 1'),
    ('organizers', 'organizers_modified', '5000 2500 1 1 1');
ANALYZE sqlite_schema;

-- These columns determine which lists contain an event, its position in them, and who may read it.
DROP TRIGGER events_log_update;
CREATE TRIGGER events_log_update AFTER UPDATE OF
    status, slug, published_at, author_id, starts_at, ends_at, post_parent, hide_from_listings, sticky,
    featured, ticketed, located, event_status, cost_min, cost_max ON events
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;

-- These columns affect only searches, lists by title or change, and the representation of the event: other responses
-- without the event stay valid.
DROP TRIGGER events_log_text_update;
CREATE TRIGGER events_log_text_update AFTER UPDATE OF
    version, modified_at, title, title_key, description, search_text, image_id, excerpt, timezone, cost, website,
    custom_fields, all_day, show_map, show_map_link ON events
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NEW.id); END;
