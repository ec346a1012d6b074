-- Feeds on PostgreSQL: the identity of the calendar, and the time of each change.


-- One row, which never changes: the UUID (version 4) is part of the identifier that each event has in feeds.
CREATE TABLE calendar_identity (
    id   bigint PRIMARY KEY CHECK (id = 1),
    uuid text NOT NULL
);
INSERT INTO calendar_identity (id, uuid) VALUES (1, gen_random_uuid()::text);

-- In seconds since 1970 UTC.
ALTER TABLE change_log
ADD COLUMN changed_at bigint NOT NULL DEFAULT floor(extract(epoch FROM clock_timestamp()))::bigint;
