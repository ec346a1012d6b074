-- More filters and orders of lists, on PostgreSQL: the status of events, their titles and prices in a comparable form,
-- and the time of the last change of categories and tags.

-- Servers of the previous release may be writing. Their transactions lock the rows of events first.
LOCK TABLE events, venues, organizers, categories, tags IN ACCESS EXCLUSIVE MODE;

-- `title_key` is derived from the title (null until it has been computed), `cost_min` and `cost_max` from the cost: its
-- lowest and highest amount in hundredths, null if it has none.
ALTER TABLE events ADD COLUMN event_status text NOT NULL DEFAULT 'scheduled';
ALTER TABLE events ADD COLUMN title_key text COLLATE "C";
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
CREATE INDEX events_without_title_key ON events (id) WHERE title_key IS NULL;
CREATE INDEX venues_modified ON venues (status, modified_at, published_at, id);
CREATE INDEX organizers_modified ON organizers (status, modified_at, published_at, id);

-- These columns determine which lists contain an event, its position in them, and who may read it.
DROP TRIGGER events_log ON events;
CREATE TRIGGER events_log AFTER INSERT OR DELETE OR UPDATE OF
    status, slug, published_at, author_id, starts_at, ends_at, post_parent, hide_from_listings, sticky,
    featured, ticketed, located, event_status, cost_min, cost_max ON events
FOR EACH ROW EXECUTE FUNCTION log_change();

-- These columns affect only searches, lists by title or change, and the representation of the event: other responses
-- without the event stay valid.
DROP TRIGGER events_log_text ON events;
CREATE TRIGGER events_log_text AFTER UPDATE OF
    version, modified_at, title, title_key, description, search_text, image_id, excerpt, timezone, cost, website,
    custom_fields, all_day, show_map, show_map_link ON events
FOR EACH ROW EXECUTE FUNCTION log_event_text_change();
