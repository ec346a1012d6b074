-- Cheaper writes on PostgreSQL: links are written once. A trigger sets the denormalised columns of a link before its
-- insertion. Before this step, triggers updated every inserted link, with its indexes and counts.

-- Servers of the previous release may be writing. Their transactions lock `events` before the other tables, too.
LOCK TABLE
    events, venues, organizers, categories, event_venues, event_organizers, event_categories, event_tags,
    event_category_closure
IN ACCESS EXCLUSIVE MODE;

DROP FUNCTION
    event_venues_denormalise_insert, event_organizers_denormalise_insert, event_categories_denormalise_insert,
    event_tags_denormalise_insert, event_category_closure_denormalise_insert, categories_closure_update,
    event_categories_closure_insert
CASCADE;


-- Denormalised columns of new links -----------------------------------------------------------------------------------

-- Every new link has the event's values in its denormalised columns. `published_at` is null there unless the status of
-- the event is 'publish'. A link without an event is refused by its foreign key.
CREATE FUNCTION links_denormalise_insert() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    event record;
BEGIN
    SELECT starts_at, ends_at, status, published_at, hide_from_listings, featured, ticketed, located
    INTO event FROM events WHERE id = NEW.event_id;
    IF FOUND THEN
        NEW.starts_at := event.starts_at;
        NEW.ends_at := event.ends_at;
        NEW.published_at := CASE WHEN event.status = 'publish' THEN event.published_at END;
        NEW.hide_from_listings := event.hide_from_listings;
        NEW.featured := event.featured;
        NEW.ticketed := event.ticketed;
        NEW.located := event.located;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER event_venues_denormalise_insert
BEFORE INSERT ON event_venues
FOR EACH ROW EXECUTE FUNCTION links_denormalise_insert();
CREATE TRIGGER event_organizers_denormalise_insert
BEFORE INSERT ON event_organizers
FOR EACH ROW EXECUTE FUNCTION links_denormalise_insert();
CREATE TRIGGER event_categories_denormalise_insert
BEFORE INSERT ON event_categories
FOR EACH ROW EXECUTE FUNCTION links_denormalise_insert();
CREATE TRIGGER event_tags_denormalise_insert
BEFORE INSERT ON event_tags
FOR EACH ROW EXECUTE FUNCTION links_denormalise_insert();


-- Located events ------------------------------------------------------------------------------------------------------

-- `events.located` tells whether an event has a published venue with coordinates. New events are inserted with this
-- value, so that it rarely changes here. The lock of the venue is that of the foreign key, which is checked later: a
-- transaction that changes the venue's status or location and this one wait for each other.
CREATE FUNCTION event_venues_located_insert() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_located boolean;
BEGIN
    PERFORM 1 FROM venues WHERE id = NEW.target_id FOR KEY SHARE;
    is_located := EXISTS (
        SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id
        WHERE event_venues.event_id = NEW.event_id AND venues.status = 'publish'
            AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL
    );
    UPDATE events SET located = is_located WHERE id = NEW.event_id AND located <> is_located;
    RETURN NULL;
END $$;
CREATE TRIGGER event_venues_located_insert
AFTER INSERT ON event_venues
FOR EACH ROW EXECUTE FUNCTION event_venues_located_insert();


-- Counts of events ----------------------------------------------------------------------------------------------------

-- A new link of a published, listed event is counted.
CREATE FUNCTION event_categories_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO category_event_counts (target_id, event_count) VALUES (NEW.target_id, 1);
    IF random() < 1.0 / 32 THEN
        PERFORM compact_category_event_counts(NEW.target_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER event_categories_count_insert
AFTER INSERT ON event_categories
FOR EACH ROW
WHEN (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings)
EXECUTE FUNCTION event_categories_count_insert();

CREATE FUNCTION event_tags_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tag_event_counts (target_id, event_count) VALUES (NEW.target_id, 1);
    IF random() < 1.0 / 32 THEN
        PERFORM compact_tag_event_counts(NEW.target_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER event_tags_count_insert
AFTER INSERT ON event_tags
FOR EACH ROW
WHEN (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings)
EXECUTE FUNCTION event_tags_count_insert();


-- Last event of venues and organizers ---------------------------------------------------------------------------------

-- A new link to a published event may extend `last_ends_at` of its venue or organizer. The lock is that of
-- `event_venues_last_end_update`.
CREATE FUNCTION event_venues_last_end_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM venues WHERE id = NEW.target_id FOR KEY SHARE;
    UPDATE venues SET last_ends_at = NEW.ends_at
    WHERE id = NEW.target_id AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at);
    RETURN NULL;
END $$;
CREATE TRIGGER event_venues_last_end_insert
AFTER INSERT ON event_venues
FOR EACH ROW
WHEN (NEW.published_at IS NOT NULL)
EXECUTE FUNCTION event_venues_last_end_insert();

CREATE FUNCTION event_organizers_last_end_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM organizers WHERE id = NEW.target_id FOR KEY SHARE;
    UPDATE organizers SET last_ends_at = NEW.ends_at
    WHERE id = NEW.target_id AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at);
    RETURN NULL;
END $$;
CREATE TRIGGER event_organizers_last_end_insert
AFTER INSERT ON event_organizers
FOR EACH ROW
WHEN (NEW.published_at IS NOT NULL)
EXECUTE FUNCTION event_organizers_last_end_insert();


-- Closure of the categories of events ---------------------------------------------------------------------------------

-- `event_category_closure` has each event with its categories and all their ancestors, once each, with the event's
-- values in its denormalised columns. Only triggers and bulk loads insert its rows.
CREATE FUNCTION event_categories_closure_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_category_closure (
        event_id, target_id, starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located
    )
    SELECT NEW.event_id, ancestor_id, NEW.starts_at, NEW.ends_at, NEW.published_at,
        NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located
    FROM category_closure WHERE category_id = NEW.target_id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER event_categories_closure_insert
AFTER INSERT ON event_categories
FOR EACH ROW EXECUTE FUNCTION event_categories_closure_insert();

-- A category that moves takes its descendants and their events with it.
CREATE FUNCTION categories_closure_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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
    RETURN NULL;
END $$;
CREATE TRIGGER categories_closure_update
AFTER UPDATE OF parent ON categories
FOR EACH ROW EXECUTE FUNCTION categories_closure_update();
