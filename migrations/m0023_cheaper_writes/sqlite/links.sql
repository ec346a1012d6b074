-- Cheaper writes on SQLite, part 1 of 2: links are written once. The store inserts links with the values of their event,
-- and triggers insert the rows of `event_category_closure` with them. Before this step, triggers updated every inserted
-- link, with its indexes and counts.

DROP TRIGGER event_venues_denormalise_insert;
DROP TRIGGER event_organizers_denormalise_insert;
DROP TRIGGER event_categories_denormalise_insert;
DROP TRIGGER event_tags_denormalise_insert;
DROP TRIGGER event_category_closure_denormalise_insert;
DROP TRIGGER categories_closure_update;
DROP TRIGGER event_categories_closure_insert;


-- New links -----------------------------------------------------------------------------------------------------------

-- Every new link has the event's values in its denormalised columns, and is counted. A link that was inserted with other
-- values is counted with these and then updated, which corrects the counts, too.

-- An event that gets its first published venue with coordinates becomes located, unless it was inserted so.
CREATE TRIGGER event_venues_denormalise_insert
AFTER INSERT ON event_venues
FOR EACH ROW BEGIN
    UPDATE venues SET last_ends_at = NEW.ends_at
    WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL
        AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at);
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
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id
        AND (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) IS NOT (
            SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
                events.hide_from_listings, events.featured, events.ticketed, events.located
            FROM events WHERE events.id = NEW.event_id
        );
END;

CREATE TRIGGER event_organizers_denormalise_insert
AFTER INSERT ON event_organizers
FOR EACH ROW BEGIN
    UPDATE organizers SET last_ends_at = NEW.ends_at
    WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL
        AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at);
    UPDATE event_organizers
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id
        AND (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) IS NOT (
            SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
                events.hide_from_listings, events.featured, events.ticketed, events.located
            FROM events WHERE events.id = NEW.event_id
        );
END;

CREATE TRIGGER event_categories_denormalise_insert
AFTER INSERT ON event_categories
FOR EACH ROW BEGIN
    INSERT INTO category_event_counts (target_id, event_count)
    SELECT NEW.target_id, 1
    WHERE NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings
    ON CONFLICT (target_id) DO UPDATE SET event_count = event_count + excluded.event_count;
    UPDATE event_categories
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id
        AND (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) IS NOT (
            SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
                events.hide_from_listings, events.featured, events.ticketed, events.located
            FROM events WHERE events.id = NEW.event_id
        );
END;

CREATE TRIGGER event_tags_denormalise_insert
AFTER INSERT ON event_tags
FOR EACH ROW BEGIN
    INSERT INTO tag_event_counts (target_id, event_count)
    SELECT NEW.target_id, 1
    WHERE NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings
    ON CONFLICT (target_id) DO UPDATE SET event_count = event_count + excluded.event_count;
    UPDATE event_tags
    SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (
        SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
            events.hide_from_listings, events.featured, events.ticketed, events.located
        FROM events WHERE events.id = NEW.event_id
    )
    WHERE event_id = NEW.event_id AND target_id = NEW.target_id
        AND (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) IS NOT (
            SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END,
                events.hide_from_listings, events.featured, events.ticketed, events.located
            FROM events WHERE events.id = NEW.event_id
        );
END;


-- Closure of the categories of events ---------------------------------------------------------------------------------

-- `event_category_closure` has each event with its categories and all their ancestors, once each, with the event's
-- values in its denormalised columns. Only triggers and bulk loads insert its rows.
CREATE TRIGGER event_categories_closure_insert
AFTER INSERT ON event_categories
FOR EACH ROW BEGIN
    INSERT INTO event_category_closure (
        event_id, target_id, starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located
    )
    SELECT events.id, category_closure.ancestor_id, events.starts_at, events.ends_at,
        CASE WHEN events.status = 'publish' THEN events.published_at END,
        events.hide_from_listings, events.featured, events.ticketed, events.located
    FROM category_closure, events
    WHERE category_closure.category_id = NEW.target_id AND events.id = NEW.event_id
    ON CONFLICT DO NOTHING;
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
    INSERT INTO event_category_closure (
        event_id, target_id, starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located
    )
    SELECT DISTINCT event_id, ancestor_id, starts_at, ends_at, published_at,
        hide_from_listings, featured, ticketed, located
    FROM event_categories JOIN category_closure ON category_id = target_id
    WHERE event_id IN (
        SELECT event_id FROM event_categories
        WHERE target_id IN (SELECT category_id FROM category_closure WHERE ancestor_id = NEW.id)
    )
    ON CONFLICT DO NOTHING;
END;
