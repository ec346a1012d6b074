-- Baseline for PostgreSQL, part 2 of 3: the triggers that maintain derived data, in the transaction of each write. The
-- comment of a trigger, or of the first one of a group, states the invariant.


-- Denormalised columns of links ---------------------------------------------------------------------------------------

-- Every link of an event, and every row of `event_sections`, has the event's values in its denormalised columns.
-- `published_at` is null there unless the status of the event is 'publish'.
CREATE FUNCTION events_to_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE event_venues
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END,
            NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located
    )
    WHERE event_id = NEW.id;
    UPDATE event_organizers
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END,
            NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located
    )
    WHERE event_id = NEW.id;
    UPDATE event_categories
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END,
            NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located
    )
    WHERE event_id = NEW.id;
    UPDATE event_tags
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END,
            NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located
    )
    WHERE event_id = NEW.id;
    UPDATE event_sections
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END,
            NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located
    )
    WHERE event_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER events_to_links
AFTER UPDATE OF status, published_at, starts_at, ends_at, hide_from_listings, featured, ticketed, located ON events
FOR EACH ROW EXECUTE FUNCTION events_to_links();

-- The same for new rows. An event that gets its first published venue with coordinates becomes located.
CREATE FUNCTION event_venues_from_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE events SET located = TRUE
    WHERE id = NEW.event_id AND NOT located AND EXISTS (
        SELECT 1 FROM venues
        WHERE venues.id = NEW.target_id AND venues.status = 'publish'
            AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL
    );
    UPDATE event_venues
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id;
    RETURN NULL;
END $$;
CREATE TRIGGER event_venues_from_event
AFTER INSERT ON event_venues
FOR EACH ROW EXECUTE FUNCTION event_venues_from_event();

CREATE FUNCTION event_organizers_from_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE event_organizers
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id;
    RETURN NULL;
END $$;
CREATE TRIGGER event_organizers_from_event
AFTER INSERT ON event_organizers
FOR EACH ROW EXECUTE FUNCTION event_organizers_from_event();

CREATE FUNCTION event_categories_from_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE event_categories
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id;
    RETURN NULL;
END $$;
CREATE TRIGGER event_categories_from_event
AFTER INSERT ON event_categories
FOR EACH ROW EXECUTE FUNCTION event_categories_from_event();

CREATE FUNCTION event_tags_from_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE event_tags
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id;
    RETURN NULL;
END $$;
CREATE TRIGGER event_tags_from_event
AFTER INSERT ON event_tags
FOR EACH ROW EXECUTE FUNCTION event_tags_from_event();

CREATE FUNCTION event_sections_from_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE event_sections
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id;
    RETURN NULL;
END $$;
CREATE TRIGGER event_sections_from_event
AFTER INSERT ON event_sections
FOR EACH ROW EXECUTE FUNCTION event_sections_from_event();


-- Located events ------------------------------------------------------------------------------------------------------

-- `events.located` tells whether an event has a published venue with coordinates (new links: see above).
CREATE FUNCTION event_venues_unlocated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE events SET located = EXISTS (
        SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id
        WHERE event_venues.event_id = events.id AND venues.status = 'publish'
            AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL
    )
    WHERE id = OLD.event_id AND located;
    RETURN NULL;
END $$;
CREATE TRIGGER event_venues_unlocated
AFTER DELETE ON event_venues
FOR EACH ROW EXECUTE FUNCTION event_venues_unlocated();

-- Locks the venue, so that this transaction and those that link an event to the venue wait for each other.
CREATE FUNCTION venues_located() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM venues WHERE id = NEW.id FOR UPDATE;
    UPDATE events SET located = EXISTS (
        SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id
        WHERE event_venues.event_id = events.id AND venues.status = 'publish'
            AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL
    )
    WHERE id IN (SELECT event_id FROM event_venues WHERE target_id = NEW.id)
        AND located <> EXISTS (
            SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id
            WHERE event_venues.event_id = events.id AND venues.status = 'publish'
                AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL
        );
    RETURN NULL;
END $$;
CREATE TRIGGER venues_located
AFTER UPDATE OF status, geo_lat, geo_lng ON venues
FOR EACH ROW EXECUTE FUNCTION venues_located();


-- Counts of events ----------------------------------------------------------------------------------------------------

-- If each key had a single row, concurrent writers would wait for each other's commits. So each write adds a row, and
-- the count of a key is the sum of its rows. One write in 32 replaces those rows of the key that are not locked by
-- their sum.

-- `event_slots` has the number of events of each key, where `slot` is the start in units of 2^16 seconds.
CREATE FUNCTION events_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events)
    SELECT NEW.status, NEW.hide_from_listings, NEW.starts_at >> 16, NEW.featured, NEW.ticketed, NEW.located, 1
    WHERE TRUE;
    IF random() < 1.0 / 32 THEN
        WITH gone AS (
            DELETE FROM event_slots WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM event_slots
                WHERE status = NEW.status AND hide_from_listings = NEW.hide_from_listings
                    AND slot = NEW.starts_at >> 16 AND featured = NEW.featured
                    AND ticketed = NEW.ticketed AND located = NEW.located
                FOR UPDATE SKIP LOCKED
            ))
            RETURNING status, hide_from_listings, slot, featured, ticketed, located, events
        )
        INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events)
        SELECT status, hide_from_listings, slot, featured, ticketed, located, SUM(events) FROM gone
        GROUP BY status, hide_from_listings, slot, featured, ticketed, located;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER events_counted
AFTER INSERT ON events
FOR EACH ROW EXECUTE FUNCTION events_counted();

CREATE FUNCTION events_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events)
    SELECT OLD.status, OLD.hide_from_listings, OLD.starts_at >> 16, OLD.featured, OLD.ticketed, OLD.located, -1
    WHERE TRUE;
    IF random() < 1.0 / 32 THEN
        WITH gone AS (
            DELETE FROM event_slots WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM event_slots
                WHERE status = OLD.status AND hide_from_listings = OLD.hide_from_listings
                    AND slot = OLD.starts_at >> 16 AND featured = OLD.featured
                    AND ticketed = OLD.ticketed AND located = OLD.located
                FOR UPDATE SKIP LOCKED
            ))
            RETURNING status, hide_from_listings, slot, featured, ticketed, located, events
        )
        INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events)
        SELECT status, hide_from_listings, slot, featured, ticketed, located, SUM(events) FROM gone
        GROUP BY status, hide_from_listings, slot, featured, ticketed, located;
    END IF;
    INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events)
    SELECT NEW.status, NEW.hide_from_listings, NEW.starts_at >> 16, NEW.featured, NEW.ticketed, NEW.located, 1
    WHERE TRUE;
    IF random() < 1.0 / 32 THEN
        WITH gone AS (
            DELETE FROM event_slots WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM event_slots
                WHERE status = NEW.status AND hide_from_listings = NEW.hide_from_listings
                    AND slot = NEW.starts_at >> 16 AND featured = NEW.featured
                    AND ticketed = NEW.ticketed AND located = NEW.located
                FOR UPDATE SKIP LOCKED
            ))
            RETURNING status, hide_from_listings, slot, featured, ticketed, located, events
        )
        INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events)
        SELECT status, hide_from_listings, slot, featured, ticketed, located, SUM(events) FROM gone
        GROUP BY status, hide_from_listings, slot, featured, ticketed, located;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER events_recounted
AFTER UPDATE OF status, hide_from_listings, starts_at, featured, ticketed, located ON events
FOR EACH ROW EXECUTE FUNCTION events_recounted();

CREATE FUNCTION events_discounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events)
    SELECT OLD.status, OLD.hide_from_listings, OLD.starts_at >> 16, OLD.featured, OLD.ticketed, OLD.located, -1
    WHERE TRUE;
    IF random() < 1.0 / 32 THEN
        WITH gone AS (
            DELETE FROM event_slots WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM event_slots
                WHERE status = OLD.status AND hide_from_listings = OLD.hide_from_listings
                    AND slot = OLD.starts_at >> 16 AND featured = OLD.featured
                    AND ticketed = OLD.ticketed AND located = OLD.located
                FOR UPDATE SKIP LOCKED
            ))
            RETURNING status, hide_from_listings, slot, featured, ticketed, located, events
        )
        INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events)
        SELECT status, hide_from_listings, slot, featured, ticketed, located, SUM(events) FROM gone
        GROUP BY status, hide_from_listings, slot, featured, ticketed, located;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER events_discounted
AFTER DELETE ON events
FOR EACH ROW EXECUTE FUNCTION events_discounted();

-- `category_events` has the number of published, listed events of each category. A new link is counted when it gets
-- `published_at`.
CREATE FUNCTION event_categories_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO category_events (target_id, events)
    SELECT OLD.target_id, CASE WHEN (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings) THEN 1 ELSE -1 END
    WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings)
        <> (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings);
    IF random() < 1.0 / 32 THEN
        WITH gone AS (
            DELETE FROM category_events WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM category_events
                WHERE target_id = OLD.target_id
                FOR UPDATE SKIP LOCKED
            ))
            RETURNING target_id, events
        )
        INSERT INTO category_events (target_id, events)
        SELECT target_id, SUM(events) FROM gone
        GROUP BY target_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER event_categories_recounted
AFTER UPDATE OF published_at, hide_from_listings ON event_categories
FOR EACH ROW EXECUTE FUNCTION event_categories_recounted();

-- The count of a deleted category is deleted with it, before its links are.
CREATE FUNCTION event_categories_discounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO category_events (target_id, events)
    SELECT OLD.target_id, -1
    WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings)
        AND EXISTS (SELECT 1 FROM categories WHERE id = OLD.target_id);
    IF random() < 1.0 / 32 THEN
        WITH gone AS (
            DELETE FROM category_events WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM category_events
                WHERE target_id = OLD.target_id
                FOR UPDATE SKIP LOCKED
            ))
            RETURNING target_id, events
        )
        INSERT INTO category_events (target_id, events)
        SELECT target_id, SUM(events) FROM gone
        GROUP BY target_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER event_categories_discounted
AFTER DELETE ON event_categories
FOR EACH ROW EXECUTE FUNCTION event_categories_discounted();

CREATE FUNCTION categories_forgotten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM category_events WHERE target_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER categories_forgotten
AFTER DELETE ON categories
FOR EACH ROW EXECUTE FUNCTION categories_forgotten();

-- `tag_events` has the number of published, listed events of each tag. A new link is counted when it gets
-- `published_at`.
CREATE FUNCTION event_tags_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tag_events (target_id, events)
    SELECT OLD.target_id, CASE WHEN (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings) THEN 1 ELSE -1 END
    WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings)
        <> (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings);
    IF random() < 1.0 / 32 THEN
        WITH gone AS (
            DELETE FROM tag_events WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM tag_events
                WHERE target_id = OLD.target_id
                FOR UPDATE SKIP LOCKED
            ))
            RETURNING target_id, events
        )
        INSERT INTO tag_events (target_id, events)
        SELECT target_id, SUM(events) FROM gone
        GROUP BY target_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER event_tags_recounted
AFTER UPDATE OF published_at, hide_from_listings ON event_tags
FOR EACH ROW EXECUTE FUNCTION event_tags_recounted();

-- The count of a deleted tag is deleted with it, before its links are.
CREATE FUNCTION event_tags_discounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tag_events (target_id, events)
    SELECT OLD.target_id, -1
    WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings)
        AND EXISTS (SELECT 1 FROM tags WHERE id = OLD.target_id);
    IF random() < 1.0 / 32 THEN
        WITH gone AS (
            DELETE FROM tag_events WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM tag_events
                WHERE target_id = OLD.target_id
                FOR UPDATE SKIP LOCKED
            ))
            RETURNING target_id, events
        )
        INSERT INTO tag_events (target_id, events)
        SELECT target_id, SUM(events) FROM gone
        GROUP BY target_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER event_tags_discounted
AFTER DELETE ON event_tags
FOR EACH ROW EXECUTE FUNCTION event_tags_discounted();

CREATE FUNCTION tags_forgotten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tag_events WHERE target_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER tags_forgotten
AFTER DELETE ON tags
FOR EACH ROW EXECUTE FUNCTION tags_forgotten();


-- Last event of venues and organizers ---------------------------------------------------------------------------------

-- `venues.last_ends_at` is the latest end of the venue's published events, or null. A transaction that may lower it
-- reads all links of the venue. Its lock, FOR UPDATE, conflicts with the FOR KEY SHARE of transactions that add links.
CREATE FUNCTION event_venues_prolonged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM venues
    WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL
    FOR KEY SHARE;
    UPDATE venues SET last_ends_at = NEW.ends_at
    WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL
        AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at);
    PERFORM 1 FROM venues
    WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL
        AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at)
    FOR UPDATE;
    UPDATE venues SET last_ends_at = (
        SELECT MAX(ends_at) FROM event_venues
        WHERE target_id = OLD.target_id AND published_at IS NOT NULL
    )
    WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL
        AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at);
    RETURN NULL;
END $$;
CREATE TRIGGER event_venues_prolonged
AFTER UPDATE OF ends_at, published_at ON event_venues
FOR EACH ROW
WHEN ((OLD.ends_at, OLD.published_at) IS DISTINCT FROM (NEW.ends_at, NEW.published_at))
EXECUTE FUNCTION event_venues_prolonged();

CREATE FUNCTION event_venues_shortened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM venues
    WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL
        AND TRUE
    FOR UPDATE;
    UPDATE venues SET last_ends_at = (
        SELECT MAX(ends_at) FROM event_venues
        WHERE target_id = OLD.target_id AND published_at IS NOT NULL
    )
    WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL
        AND TRUE;
    RETURN NULL;
END $$;
CREATE TRIGGER event_venues_shortened
AFTER DELETE ON event_venues
FOR EACH ROW EXECUTE FUNCTION event_venues_shortened();

-- `organizers.last_ends_at` is the latest end of the organizer's published events, or null. A transaction that may
-- lower it reads all links of the organizer. Its lock, FOR UPDATE, conflicts with the FOR KEY SHARE of transactions
-- that add links.
CREATE FUNCTION event_organizers_prolonged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM organizers
    WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL
    FOR KEY SHARE;
    UPDATE organizers SET last_ends_at = NEW.ends_at
    WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL
        AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at);
    PERFORM 1 FROM organizers
    WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL
        AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at)
    FOR UPDATE;
    UPDATE organizers SET last_ends_at = (
        SELECT MAX(ends_at) FROM event_organizers
        WHERE target_id = OLD.target_id AND published_at IS NOT NULL
    )
    WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL
        AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at);
    RETURN NULL;
END $$;
CREATE TRIGGER event_organizers_prolonged
AFTER UPDATE OF ends_at, published_at ON event_organizers
FOR EACH ROW
WHEN ((OLD.ends_at, OLD.published_at) IS DISTINCT FROM (NEW.ends_at, NEW.published_at))
EXECUTE FUNCTION event_organizers_prolonged();

CREATE FUNCTION event_organizers_shortened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM organizers
    WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL
        AND TRUE
    FOR UPDATE;
    UPDATE organizers SET last_ends_at = (
        SELECT MAX(ends_at) FROM event_organizers
        WHERE target_id = OLD.target_id AND published_at IS NOT NULL
    )
    WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL
        AND TRUE;
    RETURN NULL;
END $$;
CREATE TRIGGER event_organizers_shortened
AFTER DELETE ON event_organizers
FOR EACH ROW EXECUTE FUNCTION event_organizers_shortened();

-- A change of an event locks its venues, then its organizers, each in the order of their IDs and in the strongest mode
-- that the triggers above need. Otherwise these triggers would lock rows in the storage order of the links, in a weaker
-- mode first, and could deadlock.
CREATE FUNCTION events_lock_hosts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status = 'publish' AND (NEW.status <> 'publish' OR NEW.ends_at < OLD.ends_at) THEN
        PERFORM 1 FROM venues
        WHERE id IN (SELECT target_id FROM event_venues WHERE event_id = NEW.id)
        ORDER BY id FOR UPDATE;
        PERFORM 1 FROM organizers
        WHERE id IN (SELECT target_id FROM event_organizers WHERE event_id = NEW.id)
        ORDER BY id FOR UPDATE;
    ELSIF NEW.status = 'publish' THEN
        PERFORM 1 FROM venues
        WHERE id IN (SELECT target_id FROM event_venues WHERE event_id = NEW.id)
        ORDER BY id FOR NO KEY UPDATE;
        PERFORM 1 FROM organizers
        WHERE id IN (SELECT target_id FROM event_organizers WHERE event_id = NEW.id)
        ORDER BY id FOR NO KEY UPDATE;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER events_lock_hosts
BEFORE UPDATE OF status, ends_at ON events
FOR EACH ROW EXECUTE FUNCTION events_lock_hosts();


-- Closures of the category tree ---------------------------------------------------------------------------------------

-- A transaction that moves a category and one that assigns categories to events exclude each other, because each
-- derives rows of `event_sections` from rows that the other changes. The advisory lock (0x74726565, "tree") is taken
-- before the statement, which then sees the other transaction's changes.
CREATE FUNCTION categories_alone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1953654117);
    RETURN NULL;
END $$;
CREATE TRIGGER categories_alone
BEFORE UPDATE OF parent ON categories
FOR EACH STATEMENT EXECUTE FUNCTION categories_alone();

CREATE FUNCTION event_categories_together() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(1953654117);
    RETURN NULL;
END $$;
CREATE TRIGGER event_categories_together
BEFORE INSERT OR DELETE ON event_categories
FOR EACH STATEMENT EXECUTE FUNCTION event_categories_together();

-- `category_paths` has each category with itself and with all its ancestors. Parents are inserted before their
-- children. No foreign key refers to `categories`: its check could wait for a transaction that waits for the advisory
-- lock.
CREATE FUNCTION categories_planted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO category_paths (category_id, ancestor_id) SELECT NEW.id, NEW.id;
    INSERT INTO category_paths (category_id, ancestor_id)
    SELECT NEW.id, ancestor_id FROM category_paths WHERE category_id = NEW.parent;
    RETURN NULL;
END $$;
CREATE TRIGGER categories_planted
AFTER INSERT ON categories
FOR EACH ROW EXECUTE FUNCTION categories_planted();

-- A category that moves takes its descendants and their events with it.
CREATE FUNCTION categories_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM category_paths
    WHERE category_id IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id)
        AND ancestor_id NOT IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id);
    INSERT INTO category_paths (category_id, ancestor_id)
    SELECT below.category_id, above.ancestor_id
    FROM category_paths AS below, category_paths AS above
    WHERE below.ancestor_id = NEW.id AND above.category_id = NEW.parent;
    DELETE FROM event_sections
    WHERE event_id IN (
        SELECT event_id FROM event_categories
        WHERE target_id IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id)
    ) AND NOT EXISTS (
        SELECT 1 FROM event_categories JOIN category_paths ON category_id = event_categories.target_id
        WHERE event_categories.event_id = event_sections.event_id
            AND ancestor_id = event_sections.target_id
    );
    INSERT INTO event_sections (event_id, target_id)
    SELECT DISTINCT event_id, ancestor_id
    FROM event_categories JOIN category_paths ON category_id = target_id
    WHERE event_id IN (
        SELECT event_id FROM event_categories
        WHERE target_id IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id)
    )
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER categories_moved
AFTER UPDATE OF parent ON categories
FOR EACH ROW EXECUTE FUNCTION categories_moved();

CREATE FUNCTION categories_uprooted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM category_paths WHERE category_id = OLD.id OR ancestor_id = OLD.id;
    DELETE FROM event_sections WHERE target_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER categories_uprooted
AFTER DELETE ON categories
FOR EACH ROW EXECUTE FUNCTION categories_uprooted();

-- `event_sections` has each event with its categories and all their ancestors, once each.
CREATE FUNCTION event_categories_sectioned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_sections (event_id, target_id)
    SELECT NEW.event_id, ancestor_id FROM category_paths WHERE category_id = NEW.target_id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER event_categories_sectioned
AFTER INSERT ON event_categories
FOR EACH ROW EXECUTE FUNCTION event_categories_sectioned();

CREATE FUNCTION event_categories_unsectioned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM event_sections
    WHERE event_id = OLD.event_id AND NOT EXISTS (
        SELECT 1 FROM event_categories JOIN category_paths ON category_id = event_categories.target_id
        WHERE event_categories.event_id = event_sections.event_id
            AND ancestor_id = event_sections.target_id
    );
    RETURN NULL;
END $$;
CREATE TRIGGER event_categories_unsectioned
AFTER DELETE ON event_categories
FOR EACH ROW EXECUTE FUNCTION event_categories_unsectioned();


-- Time zone release ---------------------------------------------------------------------------------------------------

-- `events.tz_release` is empty if the local times do not correspond to the instants: an older release, which has no
-- local times, has changed the instants alone. Later releases also change the local time, the zone or `tz_release`.
CREATE FUNCTION events_known_by_instants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE events SET tz_release = ''
    WHERE id = NEW.id AND tz_release <> ''
        AND (OLD.starts_at <> NEW.starts_at OR OLD.ends_at <> NEW.ends_at)
        AND OLD.timezone = NEW.timezone
        AND OLD.tz_release = NEW.tz_release
        AND OLD.starts_local = NEW.starts_local
        AND OLD.ends_local = NEW.ends_local
        AND OLD.starts_offset IS NOT DISTINCT FROM NEW.starts_offset
        AND OLD.ends_offset IS NOT DISTINCT FROM NEW.ends_offset;
    RETURN NULL;
END $$;
CREATE TRIGGER events_known_by_instants
AFTER UPDATE OF starts_at, ends_at ON events
FOR EACH ROW EXECUTE FUNCTION events_known_by_instants();
