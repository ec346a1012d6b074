-- Search by words, on PostgreSQL. Indexes of words take the place of those of trigrams, which found many rows that do
-- not match, and whose upkeep slowed down creates.

-- Servers of the previous release may be writing. Their transactions lock `events` before the other tables, too.
LOCK TABLE events, venues, organizers IN ACCESS EXCLUSIVE MODE;

DROP INDEX event_search, venue_search, organizer_search;

-- The distinct words of all texts that have been indexed, however many texts still have them.
CREATE TABLE words (
    id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    word text   COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX words_key ON words (word);
-- By which words that contain a term are found.
CREATE INDEX word_search ON words USING gin (word gin_trgm_ops);

-- The IDs of the words of each text. Changes are indexed many at a time: searches read at most 256 kB of them.
CREATE TABLE event_search (
    id       bigint    PRIMARY KEY,
    word_ids integer[] NOT NULL
);
CREATE INDEX event_search_words ON event_search USING gin (word_ids) WITH (gin_pending_list_limit = 256);
CREATE TABLE venue_search (
    id       bigint    PRIMARY KEY,
    word_ids integer[] NOT NULL
);
CREATE INDEX venue_search_words ON venue_search USING gin (word_ids) WITH (gin_pending_list_limit = 256);
CREATE TABLE organizer_search (
    id       bigint    PRIMARY KEY,
    word_ids integer[] NOT NULL
);
CREATE INDEX organizer_search_words ON organizer_search USING gin (word_ids) WITH (gin_pending_list_limit = 256);

-- For each event that a search finds, lists read this index instead of the much wider row.
CREATE INDEX events_by_id ON events (id) INCLUDE (
    status, hide_from_listings, starts_at, ends_at, published_at, featured, ticketed, located
);

-- The changes that the indexes do not have yet. A server indexes them in the background. Until then, searches read the
-- texts of these rows. A row may have several changes, so that writers do not wait for each other.
CREATE TABLE search_queue (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- 'event', 'venue' or 'organizer'.
    kind      text   NOT NULL,
    target_id bigint NOT NULL
);
INSERT INTO search_queue (kind, target_id) SELECT 'event', id FROM events ORDER BY id;
INSERT INTO search_queue (kind, target_id) SELECT 'venue', id FROM venues ORDER BY id;
INSERT INTO search_queue (kind, target_id) SELECT 'organizer', id FROM organizers ORDER BY id;
CREATE INDEX search_queue_target ON search_queue (kind, target_id);


-- Each row whose text is not the one that the search index has is in the queue. The argument is the kind.
CREATE FUNCTION search_queue_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_queue (kind, target_id)
    VALUES (TG_ARGV[0], CASE WHEN TG_OP = 'DELETE' THEN OLD.id ELSE NEW.id END);
    RETURN NULL;
END $$;

CREATE TRIGGER events_search_insert AFTER INSERT ON events
FOR EACH ROW EXECUTE FUNCTION search_queue_insert('event');
CREATE TRIGGER venues_search_insert AFTER INSERT ON venues
FOR EACH ROW EXECUTE FUNCTION search_queue_insert('venue');
CREATE TRIGGER organizers_search_insert AFTER INSERT ON organizers
FOR EACH ROW EXECUTE FUNCTION search_queue_insert('organizer');

CREATE TRIGGER events_search_update AFTER UPDATE OF search_text ON events
FOR EACH ROW WHEN (NEW.search_text <> OLD.search_text) EXECUTE FUNCTION search_queue_insert('event');
CREATE TRIGGER venues_search_update AFTER UPDATE OF search_text ON venues
FOR EACH ROW WHEN (NEW.search_text <> OLD.search_text) EXECUTE FUNCTION search_queue_insert('venue');
CREATE TRIGGER organizers_search_update AFTER UPDATE OF search_text ON organizers
FOR EACH ROW WHEN (NEW.search_text <> OLD.search_text) EXECUTE FUNCTION search_queue_insert('organizer');

CREATE TRIGGER events_search_delete AFTER DELETE ON events
FOR EACH ROW EXECUTE FUNCTION search_queue_insert('event');
CREATE TRIGGER venues_search_delete AFTER DELETE ON venues
FOR EACH ROW EXECUTE FUNCTION search_queue_insert('venue');
CREATE TRIGGER organizers_search_delete AFTER DELETE ON organizers
FOR EACH ROW EXECUTE FUNCTION search_queue_insert('organizer');
