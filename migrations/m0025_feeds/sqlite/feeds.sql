-- Feeds on SQLite: the identity of the calendar, and the time of each change.


-- One row, which never changes: the UUID (version 4) is part of the identifier that each event has in feeds.
CREATE TABLE calendar_identity (
    id   integer PRIMARY KEY CHECK (id = 1),
    uuid text NOT NULL
);
INSERT INTO calendar_identity (id, uuid)
SELECT 1, lower(
    hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
    || substr('89AB', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
);

-- `changed_at` is in seconds since 1970 UTC. A column with such a default can't be added: the table is created again,
-- with the same numbers, by which running servers continue.
CREATE TABLE change_log_before AS SELECT number, event_id FROM change_log;
DROP TABLE change_log;
CREATE TABLE change_log (
    number     integer PRIMARY KEY,
    event_id   bigint,
    changed_at bigint NOT NULL DEFAULT (unixepoch())
);
INSERT INTO change_log (number, event_id) SELECT number, event_id FROM change_log_before;
DROP TABLE change_log_before;

-- Keeps at least the latest 4,096 changes. Every 64th change deletes the older ones.
CREATE TRIGGER change_log_trim
AFTER INSERT ON change_log
FOR EACH ROW BEGIN
    DELETE FROM change_log WHERE number <= CASE WHEN NEW.number % 64 = 0 THEN NEW.number - 4096 END;
END;
