-- The search index of events has the columns that visibility and windows depend on, on PostgreSQL, so that lists need not
-- look up each event that a search finds.

-- Servers of the previous release may be writing. Their transactions lock `events` before the other tables, too. They can
-- no longer index texts. What they queue is indexed by servers of this release.
LOCK TABLE events, event_search IN ACCESS EXCLUSIVE MODE;

-- A new table: an update of all rows would take several times as long.
CREATE TABLE event_search_with_dates (
    id                 bigint    NOT NULL,
    word_ids           integer[] NOT NULL,
    starts_at          bigint    NOT NULL,
    ends_at            bigint    NOT NULL,
    -- Null unless the status is `publish`.
    published_at       bigint,
    hide_from_listings boolean   NOT NULL
);
-- Those of deleted events are queued. There is no need to index them again.
INSERT INTO event_search_with_dates
SELECT event_search.id, word_ids, starts_at, ends_at, CASE WHEN status = 'publish' THEN published_at END,
    hide_from_listings
FROM event_search JOIN events ON events.id = event_search.id;
DROP TABLE event_search;
ALTER TABLE event_search_with_dates RENAME TO event_search;
ALTER TABLE event_search ADD CONSTRAINT event_search_pkey PRIMARY KEY (id);
CREATE INDEX event_search_words ON event_search USING gin (word_ids) WITH (gin_pending_list_limit = 256);
ANALYZE event_search;

-- Each event whose text or dates are not those that the search index has is in the queue.
DROP TRIGGER events_search_update ON events;
CREATE TRIGGER events_search_update
AFTER UPDATE OF search_text, status, published_at, starts_at, ends_at, hide_from_listings ON events
FOR EACH ROW WHEN (
    (NEW.search_text, NEW.status, NEW.published_at, NEW.starts_at, NEW.ends_at, NEW.hide_from_listings)
    <> (OLD.search_text, OLD.status, OLD.published_at, OLD.starts_at, OLD.ends_at, OLD.hide_from_listings)
) EXECUTE FUNCTION search_queue_insert('event');
