-- IDs of events, venues and organizers in other systems, on SQLite.

-- `external_source` names the other system, and `external_id` is the ID there. Either both are null or neither. No two rows
-- of a table have the same pair; rows in the trash keep theirs.
ALTER TABLE events ADD COLUMN external_source text;
ALTER TABLE events ADD COLUMN external_id text;
ALTER TABLE venues ADD COLUMN external_source text;
ALTER TABLE venues ADD COLUMN external_id text;
ALTER TABLE organizers ADD COLUMN external_source text;
ALTER TABLE organizers ADD COLUMN external_id text;

CREATE UNIQUE INDEX events_external ON events (external_source, external_id) WHERE external_source IS NOT NULL;
CREATE UNIQUE INDEX venues_external ON venues (external_source, external_id) WHERE external_source IS NOT NULL;
CREATE UNIQUE INDEX organizers_external ON organizers (external_source, external_id) WHERE external_source IS NOT NULL;
CREATE INDEX events_external_listing ON events (
    external_source, status, hide_from_listings, starts_at, id, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status, series_id
) WHERE external_source IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('events', 'events_external', '500000 100000 1'),
    ('events', 'events_external_listing', '500000 100000 90000 85000 2 1 1 1 1 1 1 1 1 1 1'),
    ('venues', 'venues_external', '10000 2000 1'),
    ('organizers', 'organizers_external', '10000 2000 1');
ANALYZE sqlite_schema;

-- These columns determine which lists contain an event, its position in them, and who may read it.
DROP TRIGGER events_log_update;
CREATE TRIGGER events_log_update AFTER UPDATE OF
    status, slug, published_at, author_id, starts_at, ends_at, post_parent, hide_from_listings, sticky,
    featured, ticketed, located, event_status, cost_min, cost_max, series_id, external_source, external_id ON events
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
