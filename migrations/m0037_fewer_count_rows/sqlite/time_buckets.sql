-- Fewer rows of counts on SQLite: a time bucket has 2^18 seconds (3 days) instead of 2^16, so that a list sums a quarter
-- of the rows. Its column has a new name: a server of the previous release, whose buckets were smaller, fails instead of
-- returning wrong totals.
DROP TRIGGER events_count_insert;
DROP TRIGGER events_count_update;
DROP TRIGGER events_count_delete;

ALTER TABLE event_time_buckets RENAME COLUMN bucket TO time_bucket;
CREATE TABLE larger_buckets AS
SELECT status, hide_from_listings, time_bucket >> 2 AS time_bucket, featured, ticketed, located,
    SUM(event_count) AS event_count
FROM event_time_buckets GROUP BY 1, 2, 3, 4, 5, 6;
DELETE FROM event_time_buckets;
INSERT INTO event_time_buckets (status, hide_from_listings, time_bucket, featured, ticketed, located, event_count)
SELECT status, hide_from_listings, time_bucket, featured, ticketed, located, event_count FROM larger_buckets;
DROP TABLE larger_buckets;

UPDATE sqlite_stat1 SET stat = '13000 3200 1600 4 3 2 1' WHERE idx = 'event_time_buckets_key';
ANALYZE sqlite_schema;

-- `event_time_buckets` has the number of events of each key, where `time_bucket` is the start in units of 2^18 seconds.
CREATE TRIGGER events_count_insert
AFTER INSERT ON events
FOR EACH ROW BEGIN
    INSERT INTO event_time_buckets (status, hide_from_listings, time_bucket, featured, ticketed, located, event_count)
    VALUES (NEW.status, NEW.hide_from_listings, NEW.starts_at >> 18, NEW.featured, NEW.ticketed, NEW.located, 1)
    ON CONFLICT (status, hide_from_listings, time_bucket, featured, ticketed, located)
    DO UPDATE SET event_count = event_count + excluded.event_count;
END;

CREATE TRIGGER events_count_update
AFTER UPDATE OF status, hide_from_listings, starts_at, featured, ticketed, located ON events
FOR EACH ROW
WHEN (OLD.status, OLD.hide_from_listings, OLD.starts_at >> 18, OLD.featured, OLD.ticketed, OLD.located)
    <> (NEW.status, NEW.hide_from_listings, NEW.starts_at >> 18, NEW.featured, NEW.ticketed, NEW.located)
BEGIN
    INSERT INTO event_time_buckets (status, hide_from_listings, time_bucket, featured, ticketed, located, event_count)
    VALUES
        (OLD.status, OLD.hide_from_listings, OLD.starts_at >> 18, OLD.featured, OLD.ticketed, OLD.located, -1),
        (NEW.status, NEW.hide_from_listings, NEW.starts_at >> 18, NEW.featured, NEW.ticketed, NEW.located, 1)
    ON CONFLICT (status, hide_from_listings, time_bucket, featured, ticketed, located)
    DO UPDATE SET event_count = event_count + excluded.event_count;
END;

CREATE TRIGGER events_count_delete
AFTER DELETE ON events
FOR EACH ROW BEGIN
    INSERT INTO event_time_buckets (status, hide_from_listings, time_bucket, featured, ticketed, located, event_count)
    VALUES (OLD.status, OLD.hide_from_listings, OLD.starts_at >> 18, OLD.featured, OLD.ticketed, OLD.located, -1)
    ON CONFLICT (status, hide_from_listings, time_bucket, featured, ticketed, located)
    DO UPDATE SET event_count = event_count + excluded.event_count;
END;
