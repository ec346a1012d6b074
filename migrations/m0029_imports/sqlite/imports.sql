-- Imports on SQLite: the identifiers that events bring along, and what was imported from where.


-- The identifier of an event in the calendar that it was imported from; null for others. Feeds show it.
ALTER TABLE events ADD COLUMN uid text;
CREATE INDEX events_uid ON events (uid) WHERE uid IS NOT NULL;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('events', 'events_uid', '1000000 1');
ANALYZE sqlite_schema;

-- Every change of the identifier is a change of the event's representations.
CREATE TRIGGER events_log_uid_update AFTER UPDATE OF uid ON events
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NEW.id); END;

-- A place that calendars are imported from: `address` is a URL, or the name of a kind of files. If `every_seconds` is
-- given, servers import it again at `next_at`. Times are in seconds since 1970 UTC.
CREATE TABLE import_sources (
    id            integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- 'tec', 'csv' or 'ics'.
    format        text    NOT NULL,
    address       text    NOT NULL,
    -- A JSON object: how to import it.
    options       text    NOT NULL,
    every_seconds bigint,
    next_at       bigint,
    -- The validators of the last complete response.
    etag          text,
    last_modified text,
    succeeded_at  bigint,
    -- Why the last attempt has failed; null after a success.
    failure       text
);
CREATE UNIQUE INDEX import_sources_address ON import_sources (format, address);

-- A run of an import. A run with the state 'running' continues at its checkpoint.
CREATE TABLE import_runs (
    id          integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    source_id   integer NOT NULL REFERENCES import_sources (id) ON DELETE CASCADE,
    -- 'running', 'complete' or 'undone'.
    state       text    NOT NULL,
    -- A JSON object: how far the run has come.
    checkpoint  text    NOT NULL,
    started_at  bigint  NOT NULL,
    finished_at bigint,
    created     bigint  NOT NULL DEFAULT 0,
    updated     bigint  NOT NULL DEFAULT 0,
    unchanged   bigint  NOT NULL DEFAULT 0,
    kept        bigint  NOT NULL DEFAULT 0
);
CREATE INDEX import_runs_source ON import_runs (source_id);

-- An object of a source, and the object that was created for it. Rows stay when that object is deleted, so that it is
-- not imported again.
CREATE TABLE import_items (
    source_id  integer NOT NULL REFERENCES import_sources (id) ON DELETE CASCADE,
    -- 'event', 'venue', 'organizer', 'category' or 'tag'.
    kind       text    NOT NULL,
    -- The identifier at the source.
    key        text    NOT NULL,
    target_id  bigint  NOT NULL,
    -- The run that created the target; null if it existed before.
    created_by bigint,
    -- The last run in which the source had the object.
    seen_by    bigint  NOT NULL,
    -- SHA-256 of the object at the source, and of the target as it was stored, in hexadecimal.
    digest     text    NOT NULL,
    stored     text    NOT NULL,
    -- Whether an import moved the target to the trash, because the object was gone.
    is_gone    boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (source_id, kind, key)
) WITHOUT ROWID;
CREATE INDEX import_items_target ON import_items (kind, target_id);
CREATE INDEX import_items_created ON import_items (created_by);

-- What a run reports of single objects.
CREATE TABLE import_notes (
    id     integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    run_id integer NOT NULL REFERENCES import_runs (id) ON DELETE CASCADE,
    kind   text    NOT NULL,
    key    text    NOT NULL,
    text   text    NOT NULL
);
CREATE INDEX import_notes_run ON import_notes (run_id);
