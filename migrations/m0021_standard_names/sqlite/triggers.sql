-- Standard names on SQLite, part 2 of 4: the triggers that maintain derived data, in the transaction of each write. The
-- comment of a trigger, or of the first one of a group, states the invariant. The name of a trigger consists of its
-- table, what it maintains and, if several triggers do so, the event.


-- Denormalised columns of links ---------------------------------------------------------------------------------------

-- Every link of an event, and every row of `event_category_closure`, has the event's values in its denormalised
-- columns. `published_at` is null there unless the status of the event is 'publish'.
CREATE TRIGGER events_denormalise_update
AFTER UPDATE OF status, published_at, starts_at, ends_at, hide_from_listings, featured, ticketed, located ON events
FOR EACH ROW BEGIN
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
    UPDATE event_category_closure
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END,
            NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located
    )
    WHERE event_id = NEW.id;
END;

-- The same for new rows. An event that gets its first published venue with coordinates becomes located.
CREATE TRIGGER event_venues_denormalise_insert
AFTER INSERT ON event_venues
FOR EACH ROW BEGIN
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
END;

CREATE TRIGGER event_organizers_denormalise_insert
AFTER INSERT ON event_organizers
FOR EACH ROW BEGIN
    UPDATE event_organizers
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id;
END;

CREATE TRIGGER event_categories_denormalise_insert
AFTER INSERT ON event_categories
FOR EACH ROW BEGIN
    UPDATE event_categories
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id;
END;

CREATE TRIGGER event_tags_denormalise_insert
AFTER INSERT ON event_tags
FOR EACH ROW BEGIN
    UPDATE event_tags
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id;
END;

CREATE TRIGGER event_category_closure_denormalise_insert
AFTER INSERT ON event_category_closure
FOR EACH ROW BEGIN
    UPDATE event_category_closure
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id;
END;


-- Located events ------------------------------------------------------------------------------------------------------

-- `events.located` tells whether an event has a published venue with coordinates (new links: see above).
CREATE TRIGGER event_venues_located_delete
AFTER DELETE ON event_venues
FOR EACH ROW BEGIN
    UPDATE events SET located = EXISTS (
        SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id
        WHERE event_venues.event_id = events.id AND venues.status = 'publish'
            AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL
    )
    WHERE id = OLD.event_id AND located;
END;

CREATE TRIGGER venues_located_update
AFTER UPDATE OF status, geo_lat, geo_lng ON venues
FOR EACH ROW BEGIN
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
END;


-- Counts of events ----------------------------------------------------------------------------------------------------

-- `event_time_buckets` has the number of events of each key, where `bucket` is the start in units of 2^16 seconds.
CREATE TRIGGER events_count_insert
AFTER INSERT ON events
FOR EACH ROW BEGIN
    INSERT INTO event_time_buckets (status, hide_from_listings, bucket, featured, ticketed, located, event_count)
    VALUES (NEW.status, NEW.hide_from_listings, NEW.starts_at >> 16, NEW.featured, NEW.ticketed, NEW.located, 1)
    ON CONFLICT (status, hide_from_listings, bucket, featured, ticketed, located)
    DO UPDATE SET event_count = event_count + excluded.event_count;
END;

CREATE TRIGGER events_count_update
AFTER UPDATE OF status, hide_from_listings, starts_at, featured, ticketed, located ON events
FOR EACH ROW BEGIN
    INSERT INTO event_time_buckets (status, hide_from_listings, bucket, featured, ticketed, located, event_count)
    VALUES (OLD.status, OLD.hide_from_listings, OLD.starts_at >> 16, OLD.featured, OLD.ticketed, OLD.located, -1)
    ON CONFLICT (status, hide_from_listings, bucket, featured, ticketed, located)
    DO UPDATE SET event_count = event_count + excluded.event_count;
    INSERT INTO event_time_buckets (status, hide_from_listings, bucket, featured, ticketed, located, event_count)
    VALUES (NEW.status, NEW.hide_from_listings, NEW.starts_at >> 16, NEW.featured, NEW.ticketed, NEW.located, 1)
    ON CONFLICT (status, hide_from_listings, bucket, featured, ticketed, located)
    DO UPDATE SET event_count = event_count + excluded.event_count;
END;

CREATE TRIGGER events_count_delete
AFTER DELETE ON events
FOR EACH ROW BEGIN
    INSERT INTO event_time_buckets (status, hide_from_listings, bucket, featured, ticketed, located, event_count)
    VALUES (OLD.status, OLD.hide_from_listings, OLD.starts_at >> 16, OLD.featured, OLD.ticketed, OLD.located, -1)
    ON CONFLICT (status, hide_from_listings, bucket, featured, ticketed, located)
    DO UPDATE SET event_count = event_count + excluded.event_count;
END;

-- `category_event_counts` has the number of published, listed events of each category. A new link is counted when it
-- gets `published_at`.
CREATE TRIGGER event_categories_count_update
AFTER UPDATE OF published_at, hide_from_listings ON event_categories
FOR EACH ROW BEGIN
    INSERT INTO category_event_counts (target_id, event_count)
    SELECT OLD.target_id, CASE WHEN (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings) THEN 1 ELSE -1 END
    WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings)
        <> (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings)
    ON CONFLICT (target_id) DO UPDATE SET event_count = event_count + excluded.event_count;
END;

-- The count of a deleted category is deleted with it, before its links are.
CREATE TRIGGER event_categories_count_delete
AFTER DELETE ON event_categories
FOR EACH ROW BEGIN
    INSERT INTO category_event_counts (target_id, event_count)
    SELECT OLD.target_id, -1
    WHERE OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings
        AND EXISTS (SELECT 1 FROM categories WHERE id = OLD.target_id)
    ON CONFLICT (target_id) DO UPDATE SET event_count = event_count + excluded.event_count;
END;

CREATE TRIGGER categories_count_delete
AFTER DELETE ON categories
FOR EACH ROW BEGIN
    DELETE FROM category_event_counts WHERE target_id = OLD.id;
END;

-- `tag_event_counts` has the number of published, listed events of each tag. A new link is counted when it gets
-- `published_at`.
CREATE TRIGGER event_tags_count_update
AFTER UPDATE OF published_at, hide_from_listings ON event_tags
FOR EACH ROW BEGIN
    INSERT INTO tag_event_counts (target_id, event_count)
    SELECT OLD.target_id, CASE WHEN (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings) THEN 1 ELSE -1 END
    WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings)
        <> (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings)
    ON CONFLICT (target_id) DO UPDATE SET event_count = event_count + excluded.event_count;
END;

-- The count of a deleted tag is deleted with it, before its links are.
CREATE TRIGGER event_tags_count_delete
AFTER DELETE ON event_tags
FOR EACH ROW BEGIN
    INSERT INTO tag_event_counts (target_id, event_count)
    SELECT OLD.target_id, -1
    WHERE OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings
        AND EXISTS (SELECT 1 FROM tags WHERE id = OLD.target_id)
    ON CONFLICT (target_id) DO UPDATE SET event_count = event_count + excluded.event_count;
END;

CREATE TRIGGER tags_count_delete
AFTER DELETE ON tags
FOR EACH ROW BEGIN
    DELETE FROM tag_event_counts WHERE target_id = OLD.id;
END;


-- Last event of venues and organizers ---------------------------------------------------------------------------------

-- `venues.last_ends_at` is the latest end of the venue's published events, or null.
CREATE TRIGGER event_venues_last_end_update
AFTER UPDATE OF ends_at, published_at ON event_venues
FOR EACH ROW BEGIN
    UPDATE venues SET last_ends_at = NEW.ends_at
    WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL
        AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at);
    UPDATE venues SET last_ends_at = (
        SELECT MAX(ends_at) FROM event_venues
        WHERE target_id = OLD.target_id AND published_at IS NOT NULL
    )
    WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL AND last_ends_at = OLD.ends_at
        AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at);
END;

CREATE TRIGGER event_venues_last_end_delete
AFTER DELETE ON event_venues
FOR EACH ROW BEGIN
    UPDATE venues SET last_ends_at = (
        SELECT MAX(ends_at) FROM event_venues
        WHERE target_id = OLD.target_id AND published_at IS NOT NULL
    )
    WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL AND last_ends_at = OLD.ends_at;
END;

-- `organizers.last_ends_at` is the latest end of the organizer's published events, or null.
CREATE TRIGGER event_organizers_last_end_update
AFTER UPDATE OF ends_at, published_at ON event_organizers
FOR EACH ROW BEGIN
    UPDATE organizers SET last_ends_at = NEW.ends_at
    WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL
        AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at);
    UPDATE organizers SET last_ends_at = (
        SELECT MAX(ends_at) FROM event_organizers
        WHERE target_id = OLD.target_id AND published_at IS NOT NULL
    )
    WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL AND last_ends_at = OLD.ends_at
        AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at);
END;

CREATE TRIGGER event_organizers_last_end_delete
AFTER DELETE ON event_organizers
FOR EACH ROW BEGIN
    UPDATE organizers SET last_ends_at = (
        SELECT MAX(ends_at) FROM event_organizers
        WHERE target_id = OLD.target_id AND published_at IS NOT NULL
    )
    WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL AND last_ends_at = OLD.ends_at;
END;


-- Closures of the category tree ---------------------------------------------------------------------------------------

-- `category_closure` has each category with itself and with all its ancestors. Parents are inserted before their
-- children.
CREATE TRIGGER categories_closure_insert
AFTER INSERT ON categories
FOR EACH ROW BEGIN
    INSERT INTO category_closure (category_id, ancestor_id) VALUES (NEW.id, NEW.id);
    INSERT INTO category_closure (category_id, ancestor_id)
    SELECT NEW.id, ancestor_id FROM category_closure WHERE category_id = NEW.parent;
END;

-- A category that moves takes its descendants and their events with it.
CREATE TRIGGER categories_closure_update
AFTER UPDATE OF parent ON categories
FOR EACH ROW BEGIN
    DELETE FROM category_closure
    WHERE category_id IN (SELECT category_id FROM category_closure WHERE ancestor_id = NEW.id)
        AND ancestor_id NOT IN (SELECT category_id FROM category_closure WHERE ancestor_id = NEW.id);
    INSERT INTO category_closure (category_id, ancestor_id)
    SELECT below.category_id, above.ancestor_id
    FROM category_closure AS below, category_closure AS above
    WHERE below.ancestor_id = NEW.id AND above.category_id = NEW.parent;
    DELETE FROM event_category_closure
    WHERE event_id IN (
        SELECT event_id FROM event_categories
        WHERE target_id IN (SELECT category_id FROM category_closure WHERE ancestor_id = NEW.id)
    ) AND NOT EXISTS (
        SELECT 1 FROM event_categories JOIN category_closure ON category_id = event_categories.target_id
        WHERE event_categories.event_id = event_category_closure.event_id
            AND ancestor_id = event_category_closure.target_id
    );
    INSERT INTO event_category_closure (event_id, target_id)
    SELECT DISTINCT event_id, ancestor_id
    FROM event_categories JOIN category_closure ON category_id = target_id
    WHERE event_id IN (
        SELECT event_id FROM event_categories
        WHERE target_id IN (SELECT category_id FROM category_closure WHERE ancestor_id = NEW.id)
    )
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER categories_closure_delete
AFTER DELETE ON categories
FOR EACH ROW BEGIN
    DELETE FROM category_closure WHERE category_id = OLD.id OR ancestor_id = OLD.id;
    DELETE FROM event_category_closure WHERE target_id = OLD.id;
END;

-- `event_category_closure` has each event with its categories and all their ancestors, once each.
CREATE TRIGGER event_categories_closure_insert
AFTER INSERT ON event_categories
FOR EACH ROW BEGIN
    INSERT INTO event_category_closure (event_id, target_id)
    SELECT NEW.event_id, ancestor_id FROM category_closure WHERE category_id = NEW.target_id
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER event_categories_closure_delete
AFTER DELETE ON event_categories
FOR EACH ROW BEGIN
    DELETE FROM event_category_closure
    WHERE event_id = OLD.event_id AND NOT EXISTS (
        SELECT 1 FROM event_categories JOIN category_closure ON category_id = event_categories.target_id
        WHERE event_categories.event_id = event_category_closure.event_id
            AND ancestor_id = event_category_closure.target_id
    );
END;


-- Full-text indexes ---------------------------------------------------------------------------------------------------

-- `event_search` indexes the `search_text` of all events.
CREATE TRIGGER events_search_insert
AFTER INSERT ON events
FOR EACH ROW BEGIN
    INSERT INTO event_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
END;

CREATE TRIGGER events_search_update
AFTER UPDATE OF search_text ON events
FOR EACH ROW BEGIN
    DELETE FROM event_search WHERE rowid = OLD.id;
    INSERT INTO event_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
END;

CREATE TRIGGER events_search_delete
AFTER DELETE ON events
FOR EACH ROW BEGIN
    DELETE FROM event_search WHERE rowid = OLD.id;
END;

-- `venue_search` indexes the `search_text` of all venues.
CREATE TRIGGER venues_search_insert
AFTER INSERT ON venues
FOR EACH ROW BEGIN
    INSERT INTO venue_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
END;

CREATE TRIGGER venues_search_update
AFTER UPDATE OF search_text ON venues
FOR EACH ROW BEGIN
    DELETE FROM venue_search WHERE rowid = OLD.id;
    INSERT INTO venue_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
END;

CREATE TRIGGER venues_search_delete
AFTER DELETE ON venues
FOR EACH ROW BEGIN
    DELETE FROM venue_search WHERE rowid = OLD.id;
END;

-- `organizer_search` indexes the `search_text` of all organizers.
CREATE TRIGGER organizers_search_insert
AFTER INSERT ON organizers
FOR EACH ROW BEGIN
    INSERT INTO organizer_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
END;

CREATE TRIGGER organizers_search_update
AFTER UPDATE OF search_text ON organizers
FOR EACH ROW BEGIN
    DELETE FROM organizer_search WHERE rowid = OLD.id;
    INSERT INTO organizer_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
END;

CREATE TRIGGER organizers_search_delete
AFTER DELETE ON organizers
FOR EACH ROW BEGIN
    DELETE FROM organizer_search WHERE rowid = OLD.id;
END;


-- Time zone release ---------------------------------------------------------------------------------------------------

-- `events.tz_release` is empty if the local times do not correspond to the instants: an older release, which has no
-- local times, has changed the instants alone. Later releases also change the local time, the zone or `tz_release`.
CREATE TRIGGER events_clear_tz_release
AFTER UPDATE OF starts_at, ends_at ON events
FOR EACH ROW BEGIN
    UPDATE events SET tz_release = ''
    WHERE id = NEW.id AND tz_release <> ''
        AND (OLD.starts_at <> NEW.starts_at OR OLD.ends_at <> NEW.ends_at)
        AND OLD.timezone = NEW.timezone
        AND OLD.tz_release = NEW.tz_release
        AND OLD.starts_local = NEW.starts_local
        AND OLD.ends_local = NEW.ends_local
        AND OLD.starts_offset IS NOT DISTINCT FROM NEW.starts_offset
        AND OLD.ends_offset IS NOT DISTINCT FROM NEW.ends_offset;
END;
