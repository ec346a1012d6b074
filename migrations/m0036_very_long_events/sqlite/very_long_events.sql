-- Events longer than 92 days (7,948,800 seconds), on SQLite. All others of `events_long` that are in progress end within
-- the next 92 days, so that lists read only these.
CREATE INDEX events_very_long ON events (
    status, ends_at, starts_at, published_at, hide_from_listings, featured, ticketed, located
) WHERE ends_at - starts_at > 7948800;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('events', 'events_very_long', '1000 300 2 1 1 1 1 1 1');
ANALYZE sqlite_schema;
