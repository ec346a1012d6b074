-- Statement-level triggers for inserts on PostgreSQL replace row-level ones: a series or a bulk create updates a count
-- once, by the number of its events, instead of once per event.

-- Servers of the previous release may be writing. Their transactions lock `events` before the other tables, too.
LOCK TABLE events, event_venues, event_organizers, event_categories, event_tags IN ACCESS EXCLUSIVE MODE;

-- Statement-level triggers run after row-level ones, which include the checks of foreign keys. So the transaction
-- already holds the locks that these checks take on the linked objects.


-- Located events ------------------------------------------------------------------------------------------------------

-- `events.located` tells whether an event has a published venue with coordinates. New events are inserted with this
-- value, so that it rarely changes here. A transaction that changes the status or location of a venue and this one wait
-- for each other, because of the lock of the foreign key.
DROP TRIGGER event_venues_located_insert ON event_venues;
CREATE OR REPLACE FUNCTION event_venues_located_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE events SET located = NOT located
    WHERE id IN (SELECT event_id FROM new_links) AND located <> EXISTS (
        SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id
        WHERE event_venues.event_id = events.id AND venues.status = 'publish'
            AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL
    );
    RETURN NULL;
END $$;
CREATE TRIGGER event_venues_located_insert
AFTER INSERT ON event_venues
REFERENCING NEW TABLE AS new_links
FOR EACH STATEMENT EXECUTE FUNCTION event_venues_located_insert();


-- Last event of venues and organizers ---------------------------------------------------------------------------------

-- New links to published events may extend `last_ends_at` of their venues or organizers, which are locked in order of
-- their IDs. The lock of the foreign key excludes `event_venues_last_end_update`.
DROP TRIGGER event_venues_last_end_insert ON event_venues;
CREATE OR REPLACE FUNCTION event_venues_last_end_insert() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last record;
BEGIN
    FOR last IN
        SELECT target_id, MAX(ends_at) AS ends_at FROM new_links WHERE published_at IS NOT NULL
        GROUP BY target_id ORDER BY target_id
    LOOP
        UPDATE venues SET last_ends_at = last.ends_at
        WHERE id = last.target_id AND (last_ends_at IS NULL OR last_ends_at < last.ends_at);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER event_venues_last_end_insert
AFTER INSERT ON event_venues
REFERENCING NEW TABLE AS new_links
FOR EACH STATEMENT EXECUTE FUNCTION event_venues_last_end_insert();

DROP TRIGGER event_organizers_last_end_insert ON event_organizers;
CREATE OR REPLACE FUNCTION event_organizers_last_end_insert() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last record;
BEGIN
    FOR last IN
        SELECT target_id, MAX(ends_at) AS ends_at FROM new_links WHERE published_at IS NOT NULL
        GROUP BY target_id ORDER BY target_id
    LOOP
        UPDATE organizers SET last_ends_at = last.ends_at
        WHERE id = last.target_id AND (last_ends_at IS NULL OR last_ends_at < last.ends_at);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER event_organizers_last_end_insert
AFTER INSERT ON event_organizers
REFERENCING NEW TABLE AS new_links
FOR EACH STATEMENT EXECUTE FUNCTION event_organizers_last_end_insert();


-- Closure of the categories of events ---------------------------------------------------------------------------------

-- `event_category_closure` has each event with its categories and all their ancestors, once each, with the event's
-- values in its denormalised columns. Only triggers and bulk loads insert its rows.
DROP TRIGGER event_categories_closure_insert ON event_categories;
CREATE OR REPLACE FUNCTION event_categories_closure_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_category_closure (
        event_id, target_id, starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located
    )
    SELECT event_id, ancestor_id, starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located
    FROM new_links JOIN category_closure ON category_id = target_id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER event_categories_closure_insert
AFTER INSERT ON event_categories
REFERENCING NEW TABLE AS new_links
FOR EACH STATEMENT EXECUTE FUNCTION event_categories_closure_insert();


-- Counts of events ----------------------------------------------------------------------------------------------------

-- `category_event_counts` has the number of published, listed events of each category, `tag_event_counts` that of each
-- tag.
DROP TRIGGER event_categories_count_insert ON event_categories;
CREATE OR REPLACE FUNCTION event_categories_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_category_count(target_id, COUNT(*)) FROM new_links
    WHERE published_at IS NOT NULL AND NOT hide_from_listings GROUP BY target_id;
    RETURN NULL;
END $$;
CREATE TRIGGER event_categories_count_insert
AFTER INSERT ON event_categories
REFERENCING NEW TABLE AS new_links
FOR EACH STATEMENT EXECUTE FUNCTION event_categories_count_insert();

DROP TRIGGER event_tags_count_insert ON event_tags;
CREATE OR REPLACE FUNCTION event_tags_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_tag_count(target_id, COUNT(*)) FROM new_links
    WHERE published_at IS NOT NULL AND NOT hide_from_listings GROUP BY target_id;
    RETURN NULL;
END $$;
CREATE TRIGGER event_tags_count_insert
AFTER INSERT ON event_tags
REFERENCING NEW TABLE AS new_links
FOR EACH STATEMENT EXECUTE FUNCTION event_tags_count_insert();

-- `event_time_buckets` has the number of events of each key, where `time_bucket` is the start in units of 2^18 seconds.
DROP TRIGGER events_count_insert ON events;
CREATE OR REPLACE FUNCTION events_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_time_bucket(
        status, hide_from_listings, starts_at >> 18, featured, ticketed, located, COUNT(*)
    )
    FROM new_events GROUP BY status, hide_from_listings, starts_at >> 18, featured, ticketed, located;
    RETURN NULL;
END $$;
CREATE TRIGGER events_count_insert
AFTER INSERT ON events
REFERENCING NEW TABLE AS new_events
FOR EACH STATEMENT EXECUTE FUNCTION events_count_insert();


-- Search queue --------------------------------------------------------------------------------------------------------

-- New events are queued for the full-text index.
DROP TRIGGER events_search_insert ON events;
CREATE FUNCTION events_search_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_queue (kind, target_id) SELECT 'event', id FROM new_events;
    RETURN NULL;
END $$;
CREATE TRIGGER events_search_insert
AFTER INSERT ON events
REFERENCING NEW TABLE AS new_events
FOR EACH STATEMENT EXECUTE FUNCTION events_search_insert();
