-- Events longer than 92 days (7,948,800 seconds), on PostgreSQL. All others of `events_long` that are in progress end
-- within the next 92 days, so that lists read only these.
CREATE INDEX events_very_long ON events (
    status, ends_at, starts_at, published_at, hide_from_listings, featured, ticketed, located
) INCLUDE (id) WHERE ends_at - starts_at > 7948800;

-- Without these statistics, the planner expects a third of all events to exceed any length, and starts parallel workers.
CREATE STATISTICS events_length ON (ends_at - starts_at) FROM events;
ANALYZE events;
