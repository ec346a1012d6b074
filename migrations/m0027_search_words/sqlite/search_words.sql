-- Search by words, on SQLite. Full-text indexes of words take the place of those of trigrams, whose upkeep took a third
-- of the time of a create, and which intersected long lists for each search.

DROP TRIGGER events_search_insert;
DROP TRIGGER events_search_update;
DROP TRIGGER events_search_delete;
DROP TRIGGER venues_search_insert;
DROP TRIGGER venues_search_update;
DROP TRIGGER venues_search_delete;
DROP TRIGGER organizers_search_insert;
DROP TRIGGER organizers_search_update;
DROP TRIGGER organizers_search_delete;
DROP TABLE event_search;
DROP TABLE venue_search;
DROP TABLE organizer_search;

-- The distinct words of all texts that have been indexed, however many texts still have them.
CREATE TABLE words (
    id   integer PRIMARY KEY,
    word text    NOT NULL
);
CREATE UNIQUE INDEX words_key ON words (word);

-- The trigrams of the words, by which words that contain a term are found.
CREATE VIRTUAL TABLE word_search USING fts5(
    word, content='', columnsize=0, tokenize='trigram case_sensitive 1'
);

-- The IDs of the words of each text, separated by spaces. FTS5 keeps which texts have a word, and nothing else.
CREATE VIRTUAL TABLE event_search USING fts5(
    word_ids, content='', contentless_delete=1, detail=none, tokenize='ascii'
);
CREATE VIRTUAL TABLE venue_search USING fts5(
    word_ids, content='', contentless_delete=1, detail=none, tokenize='ascii'
);
CREATE VIRTUAL TABLE organizer_search USING fts5(
    word_ids, content='', contentless_delete=1, detail=none, tokenize='ascii'
);

-- See m0023_cheaper_writes.
INSERT INTO word_search (word_search, rank) VALUES ('crisismerge', 500);
INSERT INTO event_search (event_search, rank) VALUES ('crisismerge', 500);
INSERT INTO venue_search (venue_search, rank) VALUES ('crisismerge', 500);
INSERT INTO organizer_search (organizer_search, rank) VALUES ('crisismerge', 500);

-- The changes that the indexes do not have yet. The server indexes them in the background. Until then, searches read
-- the texts of these rows.
CREATE TABLE search_queue (
    id        integer PRIMARY KEY,
    -- 'event', 'venue' or 'organizer'.
    kind      text    NOT NULL,
    target_id integer NOT NULL
);
INSERT INTO search_queue (kind, target_id) SELECT 'event', id FROM events ORDER BY id;
INSERT INTO search_queue (kind, target_id) SELECT 'venue', id FROM venues ORDER BY id;
INSERT INTO search_queue (kind, target_id) SELECT 'organizer', id FROM organizers ORDER BY id;
CREATE INDEX search_queue_target ON search_queue (kind, target_id);


-- `word_search` indexes all words.
CREATE TRIGGER words_search_insert AFTER INSERT ON words
FOR EACH ROW BEGIN INSERT INTO word_search (rowid, word) VALUES (NEW.id, NEW.word); END;


-- Each row whose text is not the one that the search index has is in the queue.

CREATE TRIGGER events_search_insert AFTER INSERT ON events
FOR EACH ROW BEGIN INSERT INTO search_queue (kind, target_id) VALUES ('event', NEW.id); END;
CREATE TRIGGER venues_search_insert AFTER INSERT ON venues
FOR EACH ROW BEGIN INSERT INTO search_queue (kind, target_id) VALUES ('venue', NEW.id); END;
CREATE TRIGGER organizers_search_insert AFTER INSERT ON organizers
FOR EACH ROW BEGIN INSERT INTO search_queue (kind, target_id) VALUES ('organizer', NEW.id); END;

CREATE TRIGGER events_search_update AFTER UPDATE OF search_text ON events
FOR EACH ROW WHEN NEW.search_text <> OLD.search_text BEGIN
    INSERT INTO search_queue (kind, target_id) VALUES ('event', NEW.id);
END;
CREATE TRIGGER venues_search_update AFTER UPDATE OF search_text ON venues
FOR EACH ROW WHEN NEW.search_text <> OLD.search_text BEGIN
    INSERT INTO search_queue (kind, target_id) VALUES ('venue', NEW.id);
END;
CREATE TRIGGER organizers_search_update AFTER UPDATE OF search_text ON organizers
FOR EACH ROW WHEN NEW.search_text <> OLD.search_text BEGIN
    INSERT INTO search_queue (kind, target_id) VALUES ('organizer', NEW.id);
END;

CREATE TRIGGER events_search_delete AFTER DELETE ON events
FOR EACH ROW BEGIN INSERT INTO search_queue (kind, target_id) VALUES ('event', OLD.id); END;
CREATE TRIGGER venues_search_delete AFTER DELETE ON venues
FOR EACH ROW BEGIN INSERT INTO search_queue (kind, target_id) VALUES ('venue', OLD.id); END;
CREATE TRIGGER organizers_search_delete AFTER DELETE ON organizers
FOR EACH ROW BEGIN INSERT INTO search_queue (kind, target_id) VALUES ('organizer', OLD.id); END;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('words', 'words_key', '300000 1'),
    ('search_queue', 'search_queue_target', '300 100 1');
ANALYZE sqlite_schema;
