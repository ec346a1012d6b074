-- Indexes of lists on SQLite.

-- Lists of venues and organizers also compare the ends of scheduled events.
DROP INDEX event_venues_publication;
CREATE INDEX event_venues_publication ON event_venues (published_at, target_id, ends_at);
DROP INDEX event_organizers_publication;
CREATE INDEX event_organizers_publication ON event_organizers (published_at, target_id, ends_at);

-- For each event that a search finds, lists read this index instead of the much wider row. The cast keeps the query
-- planner from reading the row by its ID.
CREATE INDEX events_by_id ON events (
    CAST(id AS integer), status, hide_from_listings, starts_at, ends_at, published_at, featured, ticketed, located
);

-- Lists of the events of a category read `event_category_closure`.
DROP INDEX event_categories_listing;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('event_venues', 'event_venues_publication', '950000 1 1 1'),
    ('event_organizers', 'event_organizers_publication', '1150000 1 1 1'),
    ('events', 'events_by_id', '1000000 1 1 1 1 1 1 1 1 1');
ANALYZE sqlite_schema;
