-- Fewer rows of counts on PostgreSQL, part 1 of 2: a time bucket has 2^18 seconds (3 days) instead of 2^16, so that a list
-- sums a quarter of the rows. Its column has a new name: a server of the previous release, whose buckets were smaller,
-- fails instead of returning wrong totals.

-- Servers of the previous release may be writing. Their transactions lock `events` before the other tables, too.
LOCK TABLE events, categories, tags, event_categories, event_tags IN ACCESS EXCLUSIVE MODE;

ALTER TABLE event_time_buckets RENAME COLUMN bucket TO time_bucket;
WITH removed AS (
    DELETE FROM event_time_buckets
    RETURNING status, hide_from_listings, time_bucket, featured, ticketed, located, event_count
)
INSERT INTO event_time_buckets (status, hide_from_listings, time_bucket, featured, ticketed, located, event_count)
SELECT status, hide_from_listings, time_bucket >> 2, featured, ticketed, located, SUM(event_count) FROM removed
GROUP BY 1, 2, 3, 4, 5, 6;

-- Updates are heap-only: no index has the count, and the pages have free space for new row versions.
DROP INDEX event_time_buckets_key;
CREATE INDEX event_time_buckets_key ON event_time_buckets (
    status, hide_from_listings, time_bucket, featured, ticketed, located
);
ALTER TABLE event_time_buckets SET (fillfactor = 50);
ANALYZE event_time_buckets;

-- If each key had a single row, concurrent writers would wait for each other's commits. So a write updates a row of the
-- key that no other transaction has locked, or adds a row if there is none. The count of a key is the sum of its rows, of
-- which there are no more than there were concurrent writers.
CREATE FUNCTION add_to_time_bucket(
    counted_status text,
    counted_hide_from_listings boolean,
    counted_bucket bigint,
    counted_featured boolean,
    counted_ticketed boolean,
    counted_located boolean,
    difference bigint
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE event_time_buckets SET event_count = event_count + difference WHERE ctid = (
        SELECT ctid FROM event_time_buckets
        WHERE status = counted_status AND hide_from_listings = counted_hide_from_listings
            AND time_bucket = counted_bucket AND featured = counted_featured
            AND ticketed = counted_ticketed AND located = counted_located
        LIMIT 1
        FOR NO KEY UPDATE SKIP LOCKED
    );
    IF NOT FOUND THEN
        INSERT INTO event_time_buckets (
            status, hide_from_listings, time_bucket, featured, ticketed, located, event_count
        )
        VALUES (
            counted_status, counted_hide_from_listings, counted_bucket, counted_featured, counted_ticketed,
            counted_located, difference
        );
    END IF;
END $$;

-- `event_time_buckets` has the number of events of each key, where `time_bucket` is the start in units of 2^18 seconds.
CREATE OR REPLACE FUNCTION events_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_time_bucket(
        NEW.status, NEW.hide_from_listings, NEW.starts_at >> 18, NEW.featured, NEW.ticketed, NEW.located, 1
    );
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION events_count_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_time_bucket(
        OLD.status, OLD.hide_from_listings, OLD.starts_at >> 18, OLD.featured, OLD.ticketed, OLD.located, -1
    );
    PERFORM add_to_time_bucket(
        NEW.status, NEW.hide_from_listings, NEW.starts_at >> 18, NEW.featured, NEW.ticketed, NEW.located, 1
    );
    RETURN NULL;
END $$;
DROP TRIGGER events_count_update ON events;
CREATE TRIGGER events_count_update
AFTER UPDATE OF status, hide_from_listings, starts_at, featured, ticketed, located ON events
FOR EACH ROW
WHEN (
    (OLD.status, OLD.hide_from_listings, OLD.starts_at >> 18, OLD.featured, OLD.ticketed, OLD.located)
    IS DISTINCT FROM (NEW.status, NEW.hide_from_listings, NEW.starts_at >> 18, NEW.featured, NEW.ticketed, NEW.located)
)
EXECUTE FUNCTION events_count_update();

CREATE OR REPLACE FUNCTION events_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_time_bucket(
        OLD.status, OLD.hide_from_listings, OLD.starts_at >> 18, OLD.featured, OLD.ticketed, OLD.located, -1
    );
    RETURN NULL;
END $$;

DROP FUNCTION compact_event_time_buckets;
