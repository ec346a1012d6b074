-- A PostgreSQL database of the last version before the baseline (m0001_users to m0019_lock_order), with rows of every
-- kind. Migrated and filled by that version; written by pg_dump, without its comments.

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

CREATE FUNCTION public.categories_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.categories_alone() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_advisory_xact_lock(1953654117); RETURN NULL; END $$;

CREATE FUNCTION public.categories_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.categories_forgotten() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN DELETE FROM category_events WHERE target_id = OLD.id; RETURN NULL; END $$;

CREATE FUNCTION public.categories_moved() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN DELETE FROM category_paths WHERE category_id IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id) AND ancestor_id NOT IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id); INSERT INTO category_paths (category_id, ancestor_id) SELECT below.category_id, above.ancestor_id FROM category_paths AS below, category_paths AS above WHERE below.ancestor_id = NEW.id AND above.category_id = NEW.parent; DELETE FROM event_sections WHERE event_id IN (SELECT event_id FROM event_categories WHERE target_id IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id)) AND NOT EXISTS (SELECT 1 FROM event_categories JOIN category_paths ON category_id = event_categories.target_id WHERE event_categories.event_id = event_sections.event_id AND ancestor_id = event_sections.target_id); INSERT INTO event_sections (event_id, target_id) SELECT DISTINCT event_id, ancestor_id FROM event_categories JOIN category_paths ON category_id = target_id WHERE event_id IN (SELECT event_id FROM event_categories WHERE target_id IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id)) ON CONFLICT DO NOTHING; RETURN NULL; END $$;

CREATE FUNCTION public.categories_planted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO category_paths (category_id, ancestor_id) SELECT NEW.id, NEW.id; INSERT INTO category_paths (category_id, ancestor_id) SELECT NEW.id, ancestor_id FROM category_paths WHERE category_id = NEW.parent; RETURN NULL; END $$;

CREATE FUNCTION public.categories_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.categories_uprooted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN DELETE FROM category_paths WHERE category_id = OLD.id OR ancestor_id = OLD.id; DELETE FROM event_sections WHERE target_id = OLD.id; RETURN NULL; END $$;

CREATE FUNCTION public.changes_forgotten() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF random() < 1.0 / 64 AND pg_try_advisory_xact_lock(1718579815) THEN DELETE FROM changes WHERE transaction_id < (SELECT transaction_id FROM changes WHERE number <= NEW.number - 4096 ORDER BY number DESC LIMIT 1); END IF; RETURN NULL; END $$;

CREATE FUNCTION public.event_categories_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.event_categories_discounted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO category_events (target_id, events) SELECT OLD.target_id, -1 WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings) AND EXISTS (SELECT 1 FROM categories WHERE id = OLD.target_id); IF random() < 1.0 / 32 THEN WITH gone AS (DELETE FROM category_events WHERE ctid = ANY(ARRAY(SELECT ctid FROM category_events WHERE target_id = OLD.target_id FOR UPDATE SKIP LOCKED)) RETURNING target_id, events) INSERT INTO category_events (target_id, events) SELECT target_id, SUM(events) FROM gone GROUP BY target_id; END IF; RETURN NULL; END $$;

CREATE FUNCTION public.event_categories_from_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE event_categories SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END, events.hide_from_listings, events.featured, events.ticketed, events.located FROM events WHERE events.id = NEW.event_id) WHERE event_id = NEW.event_id AND target_id = NEW.target_id; RETURN NULL; END $$;

CREATE FUNCTION public.event_categories_recounted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO category_events (target_id, events) SELECT OLD.target_id, CASE WHEN (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings) THEN 1 ELSE -1 END WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings) <> (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings); IF random() < 1.0 / 32 THEN WITH gone AS (DELETE FROM category_events WHERE ctid = ANY(ARRAY(SELECT ctid FROM category_events WHERE target_id = OLD.target_id FOR UPDATE SKIP LOCKED)) RETURNING target_id, events) INSERT INTO category_events (target_id, events) SELECT target_id, SUM(events) FROM gone GROUP BY target_id; END IF; RETURN NULL; END $$;

CREATE FUNCTION public.event_categories_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.event_categories_sectioned() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO event_sections (event_id, target_id) SELECT NEW.event_id, ancestor_id FROM category_paths WHERE category_id = NEW.target_id ON CONFLICT DO NOTHING; RETURN NULL; END $$;

CREATE FUNCTION public.event_categories_together() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1953654117); RETURN NULL; END $$;

CREATE FUNCTION public.event_categories_unsectioned() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN DELETE FROM event_sections WHERE event_id = OLD.event_id AND NOT EXISTS (SELECT 1 FROM event_categories JOIN category_paths ON category_id = event_categories.target_id WHERE event_categories.event_id = event_sections.event_id AND ancestor_id = event_sections.target_id); RETURN NULL; END $$;

CREATE FUNCTION public.event_organizers_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.event_organizers_from_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE event_organizers SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END, events.hide_from_listings, events.featured, events.ticketed, events.located FROM events WHERE events.id = NEW.event_id) WHERE event_id = NEW.event_id AND target_id = NEW.target_id; RETURN NULL; END $$;

CREATE FUNCTION public.event_organizers_prolonged() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN PERFORM 1 FROM organizers WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL FOR KEY SHARE; UPDATE organizers SET last_ends_at = NEW.ends_at WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at); PERFORM 1 FROM organizers WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at) FOR UPDATE; UPDATE organizers SET last_ends_at = (SELECT MAX(ends_at) FROM event_organizers WHERE target_id = OLD.target_id AND published_at IS NOT NULL) WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at); RETURN NULL; END $$;

CREATE FUNCTION public.event_organizers_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.event_organizers_shortened() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN PERFORM 1 FROM organizers WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL AND TRUE FOR UPDATE; UPDATE organizers SET last_ends_at = (SELECT MAX(ends_at) FROM event_organizers WHERE target_id = OLD.target_id AND published_at IS NOT NULL) WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL AND TRUE; RETURN NULL; END $$;

CREATE FUNCTION public.event_sections_from_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE event_sections SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END, events.hide_from_listings, events.featured, events.ticketed, events.located FROM events WHERE events.id = NEW.event_id) WHERE event_id = NEW.event_id AND target_id = NEW.target_id; RETURN NULL; END $$;

CREATE FUNCTION public.event_tags_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.event_tags_discounted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO tag_events (target_id, events) SELECT OLD.target_id, -1 WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings) AND EXISTS (SELECT 1 FROM tags WHERE id = OLD.target_id); IF random() < 1.0 / 32 THEN WITH gone AS (DELETE FROM tag_events WHERE ctid = ANY(ARRAY(SELECT ctid FROM tag_events WHERE target_id = OLD.target_id FOR UPDATE SKIP LOCKED)) RETURNING target_id, events) INSERT INTO tag_events (target_id, events) SELECT target_id, SUM(events) FROM gone GROUP BY target_id; END IF; RETURN NULL; END $$;

CREATE FUNCTION public.event_tags_from_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE event_tags SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END, events.hide_from_listings, events.featured, events.ticketed, events.located FROM events WHERE events.id = NEW.event_id) WHERE event_id = NEW.event_id AND target_id = NEW.target_id; RETURN NULL; END $$;

CREATE FUNCTION public.event_tags_recounted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO tag_events (target_id, events) SELECT OLD.target_id, CASE WHEN (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings) THEN 1 ELSE -1 END WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings) <> (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings); IF random() < 1.0 / 32 THEN WITH gone AS (DELETE FROM tag_events WHERE ctid = ANY(ARRAY(SELECT ctid FROM tag_events WHERE target_id = OLD.target_id FOR UPDATE SKIP LOCKED)) RETURNING target_id, events) INSERT INTO tag_events (target_id, events) SELECT target_id, SUM(events) FROM gone GROUP BY target_id; END IF; RETURN NULL; END $$;

CREATE FUNCTION public.event_tags_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.event_venues_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.event_venues_from_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE events SET located = TRUE WHERE id = NEW.event_id AND NOT located AND EXISTS (SELECT 1 FROM venues WHERE venues.id = NEW.target_id AND venues.status = 'publish' AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL); UPDATE event_venues SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END, events.hide_from_listings, events.featured, events.ticketed, events.located FROM events WHERE events.id = NEW.event_id) WHERE event_id = NEW.event_id AND target_id = NEW.target_id; RETURN NULL; END $$;

CREATE FUNCTION public.event_venues_prolonged() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN PERFORM 1 FROM venues WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL FOR KEY SHARE; UPDATE venues SET last_ends_at = NEW.ends_at WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at); PERFORM 1 FROM venues WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at) FOR UPDATE; UPDATE venues SET last_ends_at = (SELECT MAX(ends_at) FROM event_venues WHERE target_id = OLD.target_id AND published_at IS NOT NULL) WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at); RETURN NULL; END $$;

CREATE FUNCTION public.event_venues_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.event_venues_shortened() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN PERFORM 1 FROM venues WHERE id = OLD.target_id AND OLD.published_at IS NOT NULL AND TRUE FOR UPDATE; UPDATE venues SET last_ends_at = (SELECT MAX(ends_at) FROM event_venues WHERE target_id = OLD.target_id AND published_at IS NOT NULL) WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL AND TRUE; RETURN NULL; END $$;

CREATE FUNCTION public.event_venues_unlocated() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE events SET located = EXISTS (SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id WHERE event_venues.event_id = events.id AND venues.status = 'publish' AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL) WHERE id = OLD.event_id AND located; RETURN NULL; END $$;

CREATE FUNCTION public.events_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.events_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT NEW.status, NEW.hide_from_listings, NEW.starts_at >> 16, NEW.featured, NEW.ticketed, NEW.located, 1 WHERE TRUE; IF random() < 1.0 / 32 THEN WITH gone AS (DELETE FROM event_slots WHERE ctid = ANY(ARRAY(SELECT ctid FROM event_slots WHERE status = NEW.status AND hide_from_listings = NEW.hide_from_listings AND slot = NEW.starts_at >> 16 AND featured = NEW.featured AND ticketed = NEW.ticketed AND located = NEW.located FOR UPDATE SKIP LOCKED)) RETURNING status, hide_from_listings, slot, featured, ticketed, located, events) INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT status, hide_from_listings, slot, featured, ticketed, located, SUM(events) FROM gone GROUP BY status, hide_from_listings, slot, featured, ticketed, located; END IF; RETURN NULL; END $$;

CREATE FUNCTION public.events_decided() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.events_discounted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT OLD.status, OLD.hide_from_listings, OLD.starts_at >> 16, OLD.featured, OLD.ticketed, OLD.located, -1 WHERE TRUE; IF random() < 1.0 / 32 THEN WITH gone AS (DELETE FROM event_slots WHERE ctid = ANY(ARRAY(SELECT ctid FROM event_slots WHERE status = OLD.status AND hide_from_listings = OLD.hide_from_listings AND slot = OLD.starts_at >> 16 AND featured = OLD.featured AND ticketed = OLD.ticketed AND located = OLD.located FOR UPDATE SKIP LOCKED)) RETURNING status, hide_from_listings, slot, featured, ticketed, located, events) INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT status, hide_from_listings, slot, featured, ticketed, located, SUM(events) FROM gone GROUP BY status, hide_from_listings, slot, featured, ticketed, located; END IF; RETURN NULL; END $$;

CREATE FUNCTION public.events_known_by_instants() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE events SET tz_release = '' WHERE id = NEW.id AND tz_release <> '' AND (OLD.starts_at <> NEW.starts_at OR OLD.ends_at <> NEW.ends_at) AND OLD.timezone = NEW.timezone AND OLD.tz_release = NEW.tz_release AND OLD.starts_local = NEW.starts_local AND OLD.ends_local = NEW.ends_local AND OLD.starts_offset IS NOT DISTINCT FROM NEW.starts_offset AND OLD.ends_offset IS NOT DISTINCT FROM NEW.ends_offset; RETURN NULL; END $$;

CREATE FUNCTION public.events_lock_hosts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN IF OLD.status = 'publish' AND (NEW.status <> 'publish' OR NEW.ends_at < OLD.ends_at) THEN PERFORM 1 FROM venues WHERE id IN (SELECT target_id FROM event_venues WHERE event_id = NEW.id) ORDER BY id FOR UPDATE; PERFORM 1 FROM organizers WHERE id IN (SELECT target_id FROM event_organizers WHERE event_id = NEW.id) ORDER BY id FOR UPDATE; ELSIF NEW.status = 'publish' THEN PERFORM 1 FROM venues WHERE id IN (SELECT target_id FROM event_venues WHERE event_id = NEW.id) ORDER BY id FOR NO KEY UPDATE; PERFORM 1 FROM organizers WHERE id IN (SELECT target_id FROM event_organizers WHERE event_id = NEW.id) ORDER BY id FOR NO KEY UPDATE; END IF; RETURN NEW; END $$;

CREATE FUNCTION public.events_recounted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT OLD.status, OLD.hide_from_listings, OLD.starts_at >> 16, OLD.featured, OLD.ticketed, OLD.located, -1 WHERE TRUE; IF random() < 1.0 / 32 THEN WITH gone AS (DELETE FROM event_slots WHERE ctid = ANY(ARRAY(SELECT ctid FROM event_slots WHERE status = OLD.status AND hide_from_listings = OLD.hide_from_listings AND slot = OLD.starts_at >> 16 AND featured = OLD.featured AND ticketed = OLD.ticketed AND located = OLD.located FOR UPDATE SKIP LOCKED)) RETURNING status, hide_from_listings, slot, featured, ticketed, located, events) INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT status, hide_from_listings, slot, featured, ticketed, located, SUM(events) FROM gone GROUP BY status, hide_from_listings, slot, featured, ticketed, located; END IF; INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT NEW.status, NEW.hide_from_listings, NEW.starts_at >> 16, NEW.featured, NEW.ticketed, NEW.located, 1 WHERE TRUE; IF random() < 1.0 / 32 THEN WITH gone AS (DELETE FROM event_slots WHERE ctid = ANY(ARRAY(SELECT ctid FROM event_slots WHERE status = NEW.status AND hide_from_listings = NEW.hide_from_listings AND slot = NEW.starts_at >> 16 AND featured = NEW.featured AND ticketed = NEW.ticketed AND located = NEW.located FOR UPDATE SKIP LOCKED)) RETURNING status, hide_from_listings, slot, featured, ticketed, located, events) INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT status, hide_from_listings, slot, featured, ticketed, located, SUM(events) FROM gone GROUP BY status, hide_from_listings, slot, featured, ticketed, located; END IF; RETURN NULL; END $$;

CREATE FUNCTION public.events_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.events_to_links() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN UPDATE event_venues SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END, NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located) WHERE event_id = NEW.id; UPDATE event_organizers SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END, NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located) WHERE event_id = NEW.id; UPDATE event_categories SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END, NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located) WHERE event_id = NEW.id; UPDATE event_tags SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END, NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located) WHERE event_id = NEW.id; UPDATE event_sections SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END, NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located) WHERE event_id = NEW.id; RETURN NULL; END $$;

CREATE FUNCTION public.events_told() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NEW.id); RETURN NULL; END $$;

CREATE FUNCTION public.images_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.images_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.images_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.organizers_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.organizers_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.organizers_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.tags_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.tags_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.tags_forgotten() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN DELETE FROM tag_events WHERE target_id = OLD.id; RETURN NULL; END $$;

CREATE FUNCTION public.tags_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.users_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.users_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.users_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.venues_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.venues_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

CREATE FUNCTION public.venues_located() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN PERFORM 1 FROM venues WHERE id = NEW.id FOR UPDATE; UPDATE events SET located = EXISTS (SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id WHERE event_venues.event_id = events.id AND venues.status = 'publish' AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL) WHERE id IN (SELECT event_id FROM event_venues WHERE target_id = NEW.id) AND located <> EXISTS (SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id WHERE event_venues.event_id = events.id AND venues.status = 'publish' AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL); RETURN NULL; END $$;

CREATE FUNCTION public.venues_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO changes (event_id) VALUES (NULL); RETURN NULL; END $$;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.categories (
    id bigint NOT NULL,
    version bigint NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    search_text text NOT NULL,
    parent bigint NOT NULL
);

ALTER TABLE public.categories ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.categories_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.category_events (
    target_id bigint NOT NULL,
    events bigint NOT NULL
);

CREATE TABLE public.category_paths (
    category_id bigint NOT NULL,
    ancestor_id bigint NOT NULL
);

CREATE TABLE public.changes (
    number bigint NOT NULL,
    event_id bigint,
    transaction_id xid8 DEFAULT pg_current_xact_id() NOT NULL
);

ALTER TABLE public.changes ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.changes_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.event_categories (
    event_id bigint NOT NULL,
    target_id bigint NOT NULL,
    "position" bigint NOT NULL,
    starts_at bigint DEFAULT 0 NOT NULL,
    ends_at bigint DEFAULT 0 NOT NULL,
    published_at bigint,
    hide_from_listings boolean DEFAULT false NOT NULL,
    featured boolean DEFAULT false NOT NULL,
    ticketed boolean DEFAULT false NOT NULL,
    located boolean DEFAULT false NOT NULL
);

CREATE TABLE public.event_organizers (
    event_id bigint NOT NULL,
    target_id bigint NOT NULL,
    "position" bigint NOT NULL,
    starts_at bigint DEFAULT 0 NOT NULL,
    ends_at bigint DEFAULT 0 NOT NULL,
    published_at bigint,
    hide_from_listings boolean DEFAULT false NOT NULL,
    featured boolean DEFAULT false NOT NULL,
    ticketed boolean DEFAULT false NOT NULL,
    located boolean DEFAULT false NOT NULL
);

CREATE TABLE public.event_sections (
    event_id bigint NOT NULL,
    target_id bigint NOT NULL,
    starts_at bigint DEFAULT 0 NOT NULL,
    ends_at bigint DEFAULT 0 NOT NULL,
    published_at bigint,
    hide_from_listings boolean DEFAULT false NOT NULL,
    featured boolean DEFAULT false NOT NULL,
    ticketed boolean DEFAULT false NOT NULL,
    located boolean DEFAULT false NOT NULL
);

CREATE TABLE public.event_slots (
    status text NOT NULL,
    hide_from_listings boolean NOT NULL,
    slot bigint NOT NULL,
    featured boolean NOT NULL,
    ticketed boolean NOT NULL,
    located boolean NOT NULL,
    events bigint NOT NULL
);

CREATE TABLE public.event_tags (
    event_id bigint NOT NULL,
    target_id bigint NOT NULL,
    "position" bigint NOT NULL,
    starts_at bigint DEFAULT 0 NOT NULL,
    ends_at bigint DEFAULT 0 NOT NULL,
    published_at bigint,
    hide_from_listings boolean DEFAULT false NOT NULL,
    featured boolean DEFAULT false NOT NULL,
    ticketed boolean DEFAULT false NOT NULL,
    located boolean DEFAULT false NOT NULL
);

CREATE TABLE public.event_venues (
    event_id bigint NOT NULL,
    target_id bigint NOT NULL,
    "position" bigint NOT NULL,
    starts_at bigint DEFAULT 0 NOT NULL,
    ends_at bigint DEFAULT 0 NOT NULL,
    published_at bigint,
    hide_from_listings boolean DEFAULT false NOT NULL,
    featured boolean DEFAULT false NOT NULL,
    ticketed boolean DEFAULT false NOT NULL,
    located boolean DEFAULT false NOT NULL
);

CREATE TABLE public.events (
    id bigint NOT NULL,
    version bigint NOT NULL,
    status text NOT NULL,
    slug text NOT NULL,
    published_at bigint NOT NULL,
    modified_at bigint NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    search_text text NOT NULL,
    author_id bigint,
    image_id bigint,
    excerpt text NOT NULL,
    starts_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    timezone text NOT NULL,
    cost text NOT NULL,
    website text NOT NULL,
    custom_fields text NOT NULL,
    post_parent bigint,
    all_day boolean NOT NULL,
    show_map boolean NOT NULL,
    show_map_link boolean NOT NULL,
    hide_from_listings boolean NOT NULL,
    sticky boolean NOT NULL,
    featured boolean NOT NULL,
    ticketed boolean NOT NULL,
    located boolean DEFAULT false NOT NULL,
    description_text text,
    starts_local bigint DEFAULT 0 NOT NULL,
    ends_local bigint DEFAULT 0 NOT NULL,
    starts_offset bigint,
    ends_offset bigint,
    tz_release text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    trashed_status text,
    trashed_at bigint
);

ALTER TABLE public.events ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.images (
    id bigint NOT NULL,
    url text NOT NULL
);

ALTER TABLE public.images ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.images_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.migrations (
    version character varying NOT NULL,
    applied_at bigint NOT NULL
);

CREATE TABLE public.organizers (
    id bigint NOT NULL,
    version bigint NOT NULL,
    status text NOT NULL,
    slug text NOT NULL,
    published_at bigint NOT NULL,
    modified_at bigint NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    search_text text NOT NULL,
    author_id bigint,
    image_id bigint,
    name_key text NOT NULL,
    phone text NOT NULL,
    website text NOT NULL,
    email text NOT NULL,
    last_ends_at bigint,
    description_text text,
    trashed_status text,
    trashed_at bigint,
    follows_event_id bigint
);

ALTER TABLE public.organizers ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.organizers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.tag_events (
    target_id bigint NOT NULL,
    events bigint NOT NULL
);

CREATE TABLE public.tags (
    id bigint NOT NULL,
    version bigint NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    search_text text NOT NULL
);

ALTER TABLE public.tags ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.tags_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.tokens (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    name text NOT NULL,
    hash text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint
);

ALTER TABLE public.tokens ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.tokens_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.users (
    id bigint NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    password_hash text NOT NULL,
    created_at bigint NOT NULL
);

ALTER TABLE public.users ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.users_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.venues (
    id bigint NOT NULL,
    version bigint NOT NULL,
    status text NOT NULL,
    slug text NOT NULL,
    published_at bigint NOT NULL,
    modified_at bigint NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    search_text text NOT NULL,
    author_id bigint,
    image_id bigint,
    name_key text NOT NULL,
    address text NOT NULL,
    city text NOT NULL,
    country text NOT NULL,
    province text NOT NULL,
    state text NOT NULL,
    zip text NOT NULL,
    phone text NOT NULL,
    website text NOT NULL,
    geo_lat double precision,
    geo_lng double precision,
    globe_x double precision,
    globe_y double precision,
    globe_z double precision,
    show_map boolean NOT NULL,
    show_map_link boolean NOT NULL,
    last_ends_at bigint,
    description_text text,
    trashed_status text,
    trashed_at bigint,
    follows_event_id bigint
);

ALTER TABLE public.venues ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.venues_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

INSERT INTO public.categories VALUES
	(1, 1, 'Music', 'music', 'music', 'All about Music', 'music music', 0),
	(2, 1, 'Jazz', 'jazz', 'jazz', 'All about Jazz', 'jazz jazz', 1),
	(3, 1, 'Bebop', 'bebop', 'bebop', 'All about Bebop', 'bebop bebop', 2),
	(4, 1, 'Stage', 'stage', 'stage', 'All about Stage', 'stage stage', 0),
	(6, 1, 'Poetry', 'poetry', 'poetry', '', 'poetry poetry', 0),
	(5, 2, 'Opera', 'opera', 'opera', 'All about Opera', 'opera opera', 1);

INSERT INTO public.category_events VALUES
	(1, 1),
	(5, 1),
	(3, 1),
	(2, 1),
	(4, 1),
	(5, 1),
	(5, 1),
	(5, -1);

INSERT INTO public.category_paths VALUES
	(1, 1),
	(2, 2),
	(2, 1),
	(3, 3),
	(3, 2),
	(3, 1),
	(4, 4),
	(5, 5),
	(6, 6),
	(5, 1);

INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES
	(1, NULL, '748'),
	(2, NULL, '767'),
	(3, NULL, '768'),
	(4, NULL, '769'),
	(5, NULL, '772'),
	(6, NULL, '773'),
	(7, NULL, '774'),
	(8, NULL, '775'),
	(9, NULL, '776'),
	(10, NULL, '777'),
	(11, NULL, '778'),
	(12, NULL, '779'),
	(13, NULL, '780'),
	(14, NULL, '780'),
	(15, NULL, '781'),
	(16, NULL, '782'),
	(17, NULL, '783'),
	(18, NULL, '784'),
	(19, NULL, '785'),
	(20, NULL, '786'),
	(21, NULL, '786'),
	(22, NULL, '787'),
	(23, NULL, '788'),
	(24, NULL, '789'),
	(25, NULL, '789'),
	(26, NULL, '789'),
	(27, NULL, '789'),
	(28, NULL, '789'),
	(29, NULL, '789'),
	(30, NULL, '789'),
	(31, NULL, '789'),
	(32, NULL, '789'),
	(33, NULL, '789'),
	(34, NULL, '789'),
	(35, NULL, '789'),
	(36, NULL, '789'),
	(37, NULL, '789'),
	(38, NULL, '789'),
	(39, NULL, '790'),
	(40, NULL, '790'),
	(41, NULL, '790'),
	(42, NULL, '790'),
	(43, NULL, '790'),
	(44, NULL, '790'),
	(45, NULL, '790'),
	(46, NULL, '790'),
	(47, NULL, '791'),
	(48, NULL, '791'),
	(49, NULL, '791'),
	(50, NULL, '792'),
	(51, NULL, '792'),
	(52, NULL, '793'),
	(53, NULL, '793'),
	(54, NULL, '794'),
	(55, NULL, '794'),
	(56, NULL, '794'),
	(57, NULL, '794'),
	(58, NULL, '794'),
	(59, NULL, '794'),
	(60, NULL, '794'),
	(61, NULL, '795'),
	(62, NULL, '796'),
	(63, NULL, '796'),
	(64, NULL, '797'),
	(65, NULL, '797'),
	(66, NULL, '797'),
	(67, NULL, '798'),
	(68, 9, '798'),
	(69, NULL, '799'),
	(70, NULL, '799'),
	(71, 10, '800'),
	(72, NULL, '801'),
	(73, NULL, '802'),
	(74, NULL, '803'),
	(75, NULL, '804'),
	(76, 3, '804'),
	(77, NULL, '805'),
	(78, NULL, '806'),
	(79, NULL, '808'),
	(80, NULL, '809');

INSERT INTO public.event_categories VALUES
	(2, 3, 0, 1824946200, 1824949800, 1795378435, false, false, false, true),
	(4, 2, 0, 1801645200, 1801648800, 1795378435, true, false, false, false),
	(6, 6, 0, 1801818000, 1801821600, NULL, false, false, false, false),
	(8, 5, 0, 4074051600, 4074055200, 4039372800, false, false, false, false),
	(9, 5, 0, 1801990800, 1801994400, NULL, false, false, false, false),
	(3, 2, 0, 1797364800, 1797368400, 1795378435, false, false, false, false),
	(3, 4, 1, 1797364800, 1797368400, 1795378435, false, false, false, false),
	(1, 1, 0, 1811800800, 1813528799, 1795378435, false, true, true, true),
	(1, 5, 1, 1811800800, 1813528799, 1795378435, false, true, true, true);

INSERT INTO public.event_organizers VALUES
	(2, 2, 0, 1824946200, 1824949800, 1795378435, false, false, false, true),
	(6, 4, 0, 1801818000, 1801821600, NULL, false, false, false, false),
	(10, 1, 0, 1549526400, 1549530000, 1795378435, false, false, false, false),
	(1, 1, 0, 1811800800, 1813528799, 1795378435, false, true, true, true),
	(1, 2, 1, 1811800800, 1813528799, 1795378435, false, true, true, true);

INSERT INTO public.event_sections VALUES
	(2, 3, 1824946200, 1824949800, 1795378435, false, false, false, true),
	(2, 2, 1824946200, 1824949800, 1795378435, false, false, false, true),
	(2, 1, 1824946200, 1824949800, 1795378435, false, false, false, true),
	(4, 2, 1801645200, 1801648800, 1795378435, true, false, false, false),
	(4, 1, 1801645200, 1801648800, 1795378435, true, false, false, false),
	(6, 6, 1801818000, 1801821600, NULL, false, false, false, false),
	(8, 5, 4074051600, 4074055200, 4039372800, false, false, false, false),
	(9, 5, 1801990800, 1801994400, NULL, false, false, false, false),
	(8, 1, 4074051600, 4074055200, 4039372800, false, false, false, false),
	(9, 1, 1801990800, 1801994400, NULL, false, false, false, false),
	(3, 2, 1797364800, 1797368400, 1795378435, false, false, false, false),
	(3, 1, 1797364800, 1797368400, 1795378435, false, false, false, false),
	(3, 4, 1797364800, 1797368400, 1795378435, false, false, false, false),
	(1, 1, 1811800800, 1813528799, 1795378435, false, true, true, true),
	(1, 5, 1811800800, 1813528799, 1795378435, false, true, true, true);

INSERT INTO public.event_slots VALUES
	('publish', false, 27645, true, false, false, 1),
	('publish', false, 27645, true, false, false, -1),
	('publish', false, 27645, true, false, true, 1),
	('publish', false, 27846, false, false, false, 1),
	('publish', false, 27846, false, false, false, -1),
	('publish', false, 27846, false, false, true, 1),
	('publish', false, 27425, false, false, false, 1),
	('publish', true, 27490, false, false, false, 1),
	('private', false, 27491, false, false, false, 1),
	('draft', false, 27493, false, false, false, 1),
	('pending', false, 27494, false, false, false, 1),
	('publish', false, 62165, false, false, false, 1),
	('publish', false, 27496, false, false, false, 1),
	('publish', false, 27496, false, false, false, -1),
	('trash', false, 27496, false, false, false, 1),
	('publish', false, 23643, false, false, false, 1),
	('publish', false, 27425, false, false, false, -1),
	('publish', false, 27425, false, false, false, 1),
	('publish', false, 27645, true, false, true, -1),
	('publish', false, 27645, true, true, true, 1);

INSERT INTO public.event_tags VALUES
	(2, 1, 0, 1824946200, 1824949800, 1795378435, false, false, false, true),
	(5, 2, 0, 1801711800, 1801715400, NULL, false, false, false, false),
	(1, 1, 0, 1811800800, 1813528799, 1795378435, false, true, true, true),
	(1, 2, 1, 1811800800, 1813528799, 1795378435, false, true, true, true);

INSERT INTO public.event_venues VALUES
	(2, 1, 0, 1824946200, 1824949800, 1795378435, false, false, false, true),
	(6, 5, 0, 1801818000, 1801821600, NULL, false, false, false, false),
	(9, 2, 0, 1801990800, 1801994400, NULL, false, false, false, false),
	(1, 1, 0, 1811800800, 1813528799, 1795378435, false, true, true, true),
	(1, 2, 1, 1811800800, 1813528799, 1795378435, false, true, true, true);

INSERT INTO public.events VALUES
	(2, 1, 'publish', 'late-set', 1795378435, 1795378435, 'Late set', '', 'late set', 1, NULL, '', 1824946200, 1824949800, 'Europe/Berlin', '€ 12', 'https://late.example', '{}', NULL, false, false, false, false, false, false, false, true, '', 1824949800, 1824953400, 3600, NULL, '2026e', NULL, NULL),
	(4, 1, 'publish', 'hidden', 1795378435, 1795378435, 'Hidden', '', 'hidden', 1, NULL, '', 1801645200, 1801648800, 'UTC', '', '', '{}', NULL, false, false, false, true, false, false, false, false, '', 1801645200, 1801648800, NULL, NULL, '2026e', NULL, NULL),
	(5, 1, 'private', 'private', 1795378435, 1795378435, 'Private', '', 'private', 1, NULL, '', 1801711800, 1801715400, 'UTC+5:30', '', '', '{}', NULL, false, false, false, false, false, false, false, false, '', 1801731600, 1801735200, NULL, NULL, '2026e', NULL, NULL),
	(6, 1, 'draft', 'draft', 1795378435, 1795378435, 'Draft', '', 'draft', 1, NULL, '', 1801818000, 1801821600, 'UTC', '', '', '{}', NULL, false, false, false, false, false, false, false, false, '', 1801818000, 1801821600, NULL, NULL, '2026e', NULL, NULL),
	(7, 1, 'pending', 'pending', 1795378435, 1795378435, 'Pending', '', 'pending', 1, NULL, '', 1801904400, 1801908000, 'UTC', '', '', '{}', NULL, false, false, false, false, false, false, false, false, '', 1801904400, 1801908000, NULL, NULL, '2026e', NULL, NULL),
	(8, 1, 'publish', 'planned', 4039372800, 1795378435, 'Planned', '', 'planned', 1, NULL, '', 4074051600, 4074055200, 'UTC', '', '', '{}', NULL, false, false, false, false, false, false, false, false, '', 4074051600, 4074055200, NULL, NULL, '2026e', NULL, NULL),
	(9, 2, 'trash', 'trashed', 1795378435, 1795378435, 'Trashed', '', 'trashed', 1, NULL, '', 1801990800, 1801994400, 'UTC', '', '', '{}', NULL, false, false, false, false, false, false, false, false, '', 1801990800, 1801994400, NULL, NULL, '2026e', 'publish', 1795378435),
	(1, 1, 'publish', 'festival', 1795378435, 1795378435, 'Festival', '<p>Three weeks of <b>music</b>.</p>', 'festival three weeks of music.', 1, 3, 'Three weeks', 1811800800, 1813528799, 'Europe/Berlin', '', '', '{}', NULL, true, false, false, false, true, true, true, true, NULL, 1811808000, 1813535999, NULL, NULL, '2026e', NULL, NULL),
	(10, 2, 'publish', 'an-old-one', 1795378435, 1795378435, 'An older one', '', 'an older one', 1, NULL, '', 1549526400, 1549530000, 'Africa/Casablanca', '', '', '{}', NULL, false, false, false, false, false, false, false, false, '', 1549530000, 1549533600, NULL, NULL, '', NULL, NULL),
	(3, 1, 'publish', 'noon-concert', 1795378435, 1795378435, 'Noon concert', '', 'noon concert', 1, NULL, '', 1797364800, 1797368400, 'America/Vancouver', '10 - 20', '', '{"door":"left"}', 1, false, false, false, false, false, false, false, false, '', 1797336000, 1797339600, NULL, NULL, '2025b', NULL, NULL);

INSERT INTO public.images VALUES
	(1, 'https://example.org/hall.png'),
	(2, 'https://example.org/ben.png'),
	(3, 'https://example.org/festival.png');

INSERT INTO public.migrations VALUES
	('m0001_users', 1795378434),
	('m0002_images', 1795378434),
	('m0003_terms', 1795378434),
	('m0004_venues_and_organizers', 1795378434),
	('m0005_events', 1795378434),
	('m0006_links', 1795378434),
	('m0007_listing', 1795378434),
	('m0008_upkeep', 1795378434),
	('m0009_search', 1795378434),
	('m0010_statistics', 1795378434),
	('m0011_changes', 1795378434),
	('m0012_long_events', 1795378434),
	('m0013_turns_at_the_tree', 1795378434),
	('m0014_around_a_place', 1795378434),
	('m0015_description_texts', 1795378434),
	('m0016_local_times', 1795378434),
	('m0017_trash_and_following', 1795378434),
	('m0019_lock_order', 1795378434);

INSERT INTO public.organizers VALUES
	(3, 2, 'trash', 'gone', 1795378435, 1795378435, 'Gone', '', 'gone', 1, NULL, 'gone', '', '', '', NULL, '', 'publish', 1795378435, NULL),
	(2, 1, 'publish', 'ben', 1795378435, 1795378435, 'Ben', '', 'ben', 1, 2, 'ben', '', '', '', 1824949800, '', NULL, NULL, NULL),
	(4, 1, 'draft', 'new-host', 1795378435, 1795378435, 'New host', '', 'new host', 1, NULL, 'new host', '', '', '', NULL, '', NULL, NULL, 6),
	(1, 1, 'publish', 'ann-co', 1795378435, 1795378435, 'Ann & Co', 'Organizes <strong>a lot</strong>.', 'ann & co 1 https://ann.example ann@example.org organizes a lot.', 1, NULL, 'ann & co', '1', 'https://ann.example', 'ann@example.org', 1813528799, NULL, NULL, NULL, NULL);

INSERT INTO public.tag_events VALUES
	(1, 1),
	(2, 1),
	(1, 1);

INSERT INTO public.tags VALUES
	(1, 1, 'free', 'free', 'free', '', 'free free'),
	(2, 1, 'outdoors', 'outdoors', 'outdoors', '', 'outdoors outdoors'),
	(3, 1, 'Ütf-8 ☕', 'utf-8 ☕', 'utf-8-coffee', '', 'utf-8 ☕ utf-8-coffee');

INSERT INTO public.tokens VALUES
	(1, 2, 'import', '3955f7467aa895ee0c2cfdbfffe91c78de2aeadc40d653f37d6b2c1669d5100c', 1795378434, NULL),
	(2, 1, 'backup', 'bb6654d7a7fd470e794aea5a03dc999b6143fee23c15575db6d446e425304303', 1795378434, 2110738434);

INSERT INTO public.users VALUES
	(1, 'admin', 'administrator', '53461d79465d90e882f72fe5844938b6ad2e256d27cbdc99e422fb0f702cc8b4', 1795378434),
	(2, 'ann', 'author', '5aa18c4fbafa9909e683ce29d1cba11cdc081a1f82ca5ccbfc91cba4e116f420', 1795378434),
	(3, 'bob', 'subscriber', 'c626c90779b139e1c095a0b79414657286326d97b235bcef9486222fd4e94b6b', 1795378434);

INSERT INTO public.venues VALUES
	(3, 2, 'trash', 'closed-club', 1795378435, 1795378435, 'Closed Club', '', 'closed club', 1, NULL, 'closed club', '', '', '', '', '', '', '', '', 54, 10, 0.5788554735638642, 0.10206783792008485, 0.8090169943749475, true, true, NULL, '', 'publish', 1795378435, NULL),
	(4, 1, 'draft', 'planned-stage', 1795378435, 1795378435, 'Planned Stage', '', 'planned stage', 1, NULL, 'planned stage', '', '', '', '', '', '', '', '', -33.9, 18.4, 0.7875787466972272, 0.2619925784446166, -0.5577451089796901, true, true, NULL, '', NULL, NULL, NULL),
	(2, 1, 'publish', 'park', 1795378435, 1795378435, 'Park', '', 'park', 1, NULL, 'park', '', '', '', '', '', '', '', '', NULL, NULL, NULL, NULL, NULL, true, true, 1813528799, '', NULL, NULL, NULL),
	(5, 1, 'draft', 'new-place', 1795378435, 1795378435, 'New place', '', 'new place', 1, NULL, 'new place', '', '', '', '', '', '', '', '', 1.5, 2.5, 0.9987058727081077, 0.043604440090704404, 0.026176948307873153, true, true, NULL, '', NULL, NULL, 6),
	(1, 1, 'publish', 'town-hall', 1795378435, 1795378435, 'Town Hall', '<p>A <em>fine</em> hall.</p>', 'town hall 1 main street kiel germany 24103 +49 431 1 https://hall.example a fine hall.', 1, 1, 'town hall', '1 Main Street', 'Kiel', 'Germany', '', '', '24103', '+49 431 1', 'https://hall.example', 54.3233, 10.1228, 0.574132260588876, 0.10250426510318517, 0.8123207636068174, true, true, 1824949800, NULL, NULL, NULL, NULL);

SELECT pg_catalog.setval('public.categories_id_seq', 6, true);

SELECT pg_catalog.setval('public.changes_number_seq', 80, true);

SELECT pg_catalog.setval('public.events_id_seq', 10, true);

SELECT pg_catalog.setval('public.images_id_seq', 3, true);

SELECT pg_catalog.setval('public.organizers_id_seq', 4, true);

SELECT pg_catalog.setval('public.tags_id_seq', 3, true);

SELECT pg_catalog.setval('public.tokens_id_seq', 2, true);

SELECT pg_catalog.setval('public.users_id_seq', 3, true);

SELECT pg_catalog.setval('public.venues_id_seq', 5, true);

ALTER TABLE ONLY public.categories
    ADD CONSTRAINT categories_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.categories
    ADD CONSTRAINT categories_slug_key UNIQUE (slug);

ALTER TABLE ONLY public.category_paths
    ADD CONSTRAINT category_paths_pkey PRIMARY KEY (category_id, ancestor_id);

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.event_categories
    ADD CONSTRAINT event_categories_pkey PRIMARY KEY (event_id, target_id);

ALTER TABLE ONLY public.event_organizers
    ADD CONSTRAINT event_organizers_pkey PRIMARY KEY (event_id, target_id);

ALTER TABLE ONLY public.event_sections
    ADD CONSTRAINT event_sections_pkey PRIMARY KEY (event_id, target_id);

ALTER TABLE ONLY public.event_tags
    ADD CONSTRAINT event_tags_pkey PRIMARY KEY (event_id, target_id);

ALTER TABLE ONLY public.event_venues
    ADD CONSTRAINT event_venues_pkey PRIMARY KEY (event_id, target_id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.images
    ADD CONSTRAINT images_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.images
    ADD CONSTRAINT images_url_key UNIQUE (url);

ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.organizers
    ADD CONSTRAINT organizers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_slug_key UNIQUE (slug);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_name_key UNIQUE (name);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.venues
    ADD CONSTRAINT venues_pkey PRIMARY KEY (id);

CREATE UNIQUE INDEX categories_name ON public.categories USING btree (parent, name_key);

CREATE INDEX categories_order ON public.categories USING btree (name_key, id);

CREATE INDEX category_events_key ON public.category_events USING btree (target_id) INCLUDE (events);

CREATE INDEX category_paths_below ON public.category_paths USING btree (ancestor_id, category_id);

CREATE INDEX changes_transaction ON public.changes USING btree (transaction_id);

CREATE INDEX event_categories_listing ON public.event_categories USING btree (target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located);

CREATE INDEX event_categories_publication ON public.event_categories USING btree (target_id, published_at, hide_from_listings);

CREATE INDEX event_organizers_listing ON public.event_organizers USING btree (target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located);

CREATE INDEX event_organizers_publication ON public.event_organizers USING btree (published_at, target_id);

CREATE INDEX event_search ON public.events USING gin (search_text public.gin_trgm_ops);

CREATE INDEX event_sections_listing ON public.event_sections USING btree (target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located);

CREATE INDEX event_slots_key ON public.event_slots USING btree (status, hide_from_listings, slot, featured, ticketed, located) INCLUDE (events);

CREATE INDEX event_tags_listing ON public.event_tags USING btree (target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located);

CREATE INDEX event_tags_publication ON public.event_tags USING btree (target_id, published_at, hide_from_listings);

CREATE INDEX event_venues_further ON public.event_venues USING btree (starts_at, event_id, "position", target_id, ends_at, published_at, hide_from_listings, featured, ticketed, located) WHERE ("position" > 0);

CREATE INDEX event_venues_listing ON public.event_venues USING btree (target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located);

CREATE INDEX event_venues_publication ON public.event_venues USING btree (published_at, target_id);

CREATE INDEX events_author ON public.events USING btree (author_id);

CREATE INDEX events_end ON public.events USING btree (status, ends_at, id);

CREATE INDEX events_image ON public.events USING btree (image_id);

CREATE INDEX events_listing ON public.events USING btree (status, hide_from_listings, starts_at, id, ends_at, published_at, featured, ticketed, located);

CREATE INDEX events_long ON public.events USING btree (status, ends_at, starts_at, published_at, hide_from_listings, featured, ticketed, located) INCLUDE (id) WHERE ((ends_at - starts_at) > 604800);

CREATE INDEX events_parent ON public.events USING btree (post_parent);

CREATE INDEX events_publication ON public.events USING btree (status, published_at, starts_at, ends_at, hide_from_listings, featured, ticketed, located);

CREATE UNIQUE INDEX events_slug ON public.events USING btree (slug) WHERE (status <> 'trash'::text);

CREATE INDEX events_trashed ON public.events USING btree (trashed_at) WHERE (trashed_at IS NOT NULL);

CREATE INDEX events_tz_release ON public.events USING btree (tz_release);

CREATE INDEX events_without_description_text ON public.events USING btree (id) WHERE (description_text IS NULL);

CREATE INDEX organizer_search ON public.organizers USING gin (search_text public.gin_trgm_ops);

CREATE INDEX organizers_following ON public.organizers USING btree (follows_event_id) WHERE (follows_event_id IS NOT NULL);

CREATE INDEX organizers_image ON public.organizers USING btree (image_id);

CREATE INDEX organizers_listing ON public.organizers USING btree (status, published_at, id, last_ends_at);

CREATE INDEX organizers_name ON public.organizers USING btree (name_key, id);

CREATE UNIQUE INDEX organizers_slug ON public.organizers USING btree (slug) WHERE (status <> 'trash'::text);

CREATE INDEX organizers_trashed ON public.organizers USING btree (trashed_at) WHERE (trashed_at IS NOT NULL);

CREATE INDEX organizers_without_description_text ON public.organizers USING btree (id) WHERE (description_text IS NULL);

CREATE INDEX tag_events_key ON public.tag_events USING btree (target_id) INCLUDE (events);

CREATE UNIQUE INDEX tags_name ON public.tags USING btree (name_key);

CREATE INDEX tags_order ON public.tags USING btree (name_key, id);

CREATE INDEX tokens_user ON public.tokens USING btree (user_id);

CREATE INDEX venue_search ON public.venues USING gin (search_text public.gin_trgm_ops);

CREATE INDEX venues_following ON public.venues USING btree (follows_event_id) WHERE (follows_event_id IS NOT NULL);

CREATE INDEX venues_image ON public.venues USING btree (image_id);

CREATE INDEX venues_listing ON public.venues USING btree (status, published_at, id, last_ends_at);

CREATE INDEX venues_name ON public.venues USING btree (name_key, id);

CREATE INDEX venues_position ON public.venues USING btree (geo_lat, geo_lng, status, published_at, globe_x, globe_y, globe_z);

CREATE UNIQUE INDEX venues_slug ON public.venues USING btree (slug) WHERE (status <> 'trash'::text);

CREATE INDEX venues_trashed ON public.venues USING btree (trashed_at) WHERE (trashed_at IS NOT NULL);

CREATE INDEX venues_without_description_text ON public.venues USING btree (id) WHERE (description_text IS NULL);

CREATE TRIGGER categories_added AFTER INSERT ON public.categories FOR EACH ROW EXECUTE FUNCTION public.categories_added();

CREATE TRIGGER categories_alone BEFORE UPDATE OF parent ON public.categories FOR EACH STATEMENT EXECUTE FUNCTION public.categories_alone();

CREATE TRIGGER categories_changed AFTER UPDATE ON public.categories FOR EACH ROW EXECUTE FUNCTION public.categories_changed();

CREATE TRIGGER categories_forgotten AFTER DELETE ON public.categories FOR EACH ROW EXECUTE FUNCTION public.categories_forgotten();

CREATE TRIGGER categories_moved AFTER UPDATE OF parent ON public.categories FOR EACH ROW EXECUTE FUNCTION public.categories_moved();

CREATE TRIGGER categories_planted AFTER INSERT ON public.categories FOR EACH ROW EXECUTE FUNCTION public.categories_planted();

CREATE TRIGGER categories_removed AFTER DELETE ON public.categories FOR EACH ROW EXECUTE FUNCTION public.categories_removed();

CREATE TRIGGER categories_uprooted AFTER DELETE ON public.categories FOR EACH ROW EXECUTE FUNCTION public.categories_uprooted();

CREATE TRIGGER changes_forgotten AFTER INSERT ON public.changes FOR EACH ROW EXECUTE FUNCTION public.changes_forgotten();

CREATE TRIGGER event_categories_added AFTER INSERT ON public.event_categories FOR EACH ROW EXECUTE FUNCTION public.event_categories_added();

CREATE TRIGGER event_categories_discounted AFTER DELETE ON public.event_categories FOR EACH ROW EXECUTE FUNCTION public.event_categories_discounted();

CREATE TRIGGER event_categories_from_event AFTER INSERT ON public.event_categories FOR EACH ROW EXECUTE FUNCTION public.event_categories_from_event();

CREATE TRIGGER event_categories_recounted AFTER UPDATE OF published_at, hide_from_listings ON public.event_categories FOR EACH ROW EXECUTE FUNCTION public.event_categories_recounted();

CREATE TRIGGER event_categories_removed AFTER DELETE ON public.event_categories FOR EACH ROW EXECUTE FUNCTION public.event_categories_removed();

CREATE TRIGGER event_categories_sectioned AFTER INSERT ON public.event_categories FOR EACH ROW EXECUTE FUNCTION public.event_categories_sectioned();

CREATE TRIGGER event_categories_together BEFORE INSERT OR DELETE ON public.event_categories FOR EACH STATEMENT EXECUTE FUNCTION public.event_categories_together();

CREATE TRIGGER event_categories_unsectioned AFTER DELETE ON public.event_categories FOR EACH ROW EXECUTE FUNCTION public.event_categories_unsectioned();

CREATE TRIGGER event_organizers_added AFTER INSERT ON public.event_organizers FOR EACH ROW EXECUTE FUNCTION public.event_organizers_added();

CREATE TRIGGER event_organizers_from_event AFTER INSERT ON public.event_organizers FOR EACH ROW EXECUTE FUNCTION public.event_organizers_from_event();

CREATE TRIGGER event_organizers_prolonged AFTER UPDATE OF ends_at, published_at ON public.event_organizers FOR EACH ROW WHEN (((old.ends_at IS DISTINCT FROM new.ends_at) OR (old.published_at IS DISTINCT FROM new.published_at))) EXECUTE FUNCTION public.event_organizers_prolonged();

CREATE TRIGGER event_organizers_removed AFTER DELETE ON public.event_organizers FOR EACH ROW EXECUTE FUNCTION public.event_organizers_removed();

CREATE TRIGGER event_organizers_shortened AFTER DELETE ON public.event_organizers FOR EACH ROW EXECUTE FUNCTION public.event_organizers_shortened();

CREATE TRIGGER event_sections_from_event AFTER INSERT ON public.event_sections FOR EACH ROW EXECUTE FUNCTION public.event_sections_from_event();

CREATE TRIGGER event_tags_added AFTER INSERT ON public.event_tags FOR EACH ROW EXECUTE FUNCTION public.event_tags_added();

CREATE TRIGGER event_tags_discounted AFTER DELETE ON public.event_tags FOR EACH ROW EXECUTE FUNCTION public.event_tags_discounted();

CREATE TRIGGER event_tags_from_event AFTER INSERT ON public.event_tags FOR EACH ROW EXECUTE FUNCTION public.event_tags_from_event();

CREATE TRIGGER event_tags_recounted AFTER UPDATE OF published_at, hide_from_listings ON public.event_tags FOR EACH ROW EXECUTE FUNCTION public.event_tags_recounted();

CREATE TRIGGER event_tags_removed AFTER DELETE ON public.event_tags FOR EACH ROW EXECUTE FUNCTION public.event_tags_removed();

CREATE TRIGGER event_venues_added AFTER INSERT ON public.event_venues FOR EACH ROW EXECUTE FUNCTION public.event_venues_added();

CREATE TRIGGER event_venues_from_event AFTER INSERT ON public.event_venues FOR EACH ROW EXECUTE FUNCTION public.event_venues_from_event();

CREATE TRIGGER event_venues_prolonged AFTER UPDATE OF ends_at, published_at ON public.event_venues FOR EACH ROW WHEN (((old.ends_at IS DISTINCT FROM new.ends_at) OR (old.published_at IS DISTINCT FROM new.published_at))) EXECUTE FUNCTION public.event_venues_prolonged();

CREATE TRIGGER event_venues_removed AFTER DELETE ON public.event_venues FOR EACH ROW EXECUTE FUNCTION public.event_venues_removed();

CREATE TRIGGER event_venues_shortened AFTER DELETE ON public.event_venues FOR EACH ROW EXECUTE FUNCTION public.event_venues_shortened();

CREATE TRIGGER event_venues_unlocated AFTER DELETE ON public.event_venues FOR EACH ROW EXECUTE FUNCTION public.event_venues_unlocated();

CREATE TRIGGER events_added AFTER INSERT ON public.events FOR EACH ROW EXECUTE FUNCTION public.events_added();

CREATE TRIGGER events_counted AFTER INSERT ON public.events FOR EACH ROW EXECUTE FUNCTION public.events_counted();

CREATE TRIGGER events_decided AFTER UPDATE OF status, slug, published_at, author_id, starts_at, ends_at, post_parent, hide_from_listings, sticky, featured, ticketed, located ON public.events FOR EACH ROW EXECUTE FUNCTION public.events_decided();

CREATE TRIGGER events_discounted AFTER DELETE ON public.events FOR EACH ROW EXECUTE FUNCTION public.events_discounted();

CREATE TRIGGER events_known_by_instants AFTER UPDATE OF starts_at, ends_at ON public.events FOR EACH ROW EXECUTE FUNCTION public.events_known_by_instants();

CREATE TRIGGER events_lock_hosts BEFORE UPDATE OF status, ends_at ON public.events FOR EACH ROW EXECUTE FUNCTION public.events_lock_hosts();

CREATE TRIGGER events_recounted AFTER UPDATE OF status, hide_from_listings, starts_at, featured, ticketed, located ON public.events FOR EACH ROW EXECUTE FUNCTION public.events_recounted();

CREATE TRIGGER events_removed AFTER DELETE ON public.events FOR EACH ROW EXECUTE FUNCTION public.events_removed();

CREATE TRIGGER events_to_links AFTER UPDATE OF status, published_at, starts_at, ends_at, hide_from_listings, featured, ticketed, located ON public.events FOR EACH ROW EXECUTE FUNCTION public.events_to_links();

CREATE TRIGGER events_told AFTER UPDATE OF version, modified_at, title, description, search_text, image_id, excerpt, timezone, cost, website, custom_fields, all_day, show_map, show_map_link ON public.events FOR EACH ROW EXECUTE FUNCTION public.events_told();

CREATE TRIGGER images_added AFTER INSERT ON public.images FOR EACH ROW EXECUTE FUNCTION public.images_added();

CREATE TRIGGER images_changed AFTER UPDATE ON public.images FOR EACH ROW EXECUTE FUNCTION public.images_changed();

CREATE TRIGGER images_removed AFTER DELETE ON public.images FOR EACH ROW EXECUTE FUNCTION public.images_removed();

CREATE TRIGGER organizers_added AFTER INSERT ON public.organizers FOR EACH ROW EXECUTE FUNCTION public.organizers_added();

CREATE TRIGGER organizers_changed AFTER UPDATE ON public.organizers FOR EACH ROW EXECUTE FUNCTION public.organizers_changed();

CREATE TRIGGER organizers_removed AFTER DELETE ON public.organizers FOR EACH ROW EXECUTE FUNCTION public.organizers_removed();

CREATE TRIGGER tags_added AFTER INSERT ON public.tags FOR EACH ROW EXECUTE FUNCTION public.tags_added();

CREATE TRIGGER tags_changed AFTER UPDATE ON public.tags FOR EACH ROW EXECUTE FUNCTION public.tags_changed();

CREATE TRIGGER tags_forgotten AFTER DELETE ON public.tags FOR EACH ROW EXECUTE FUNCTION public.tags_forgotten();

CREATE TRIGGER tags_removed AFTER DELETE ON public.tags FOR EACH ROW EXECUTE FUNCTION public.tags_removed();

CREATE TRIGGER users_added AFTER INSERT ON public.users FOR EACH ROW EXECUTE FUNCTION public.users_added();

CREATE TRIGGER users_changed AFTER UPDATE ON public.users FOR EACH ROW EXECUTE FUNCTION public.users_changed();

CREATE TRIGGER users_removed AFTER DELETE ON public.users FOR EACH ROW EXECUTE FUNCTION public.users_removed();

CREATE TRIGGER venues_added AFTER INSERT ON public.venues FOR EACH ROW EXECUTE FUNCTION public.venues_added();

CREATE TRIGGER venues_changed AFTER UPDATE ON public.venues FOR EACH ROW EXECUTE FUNCTION public.venues_changed();

CREATE TRIGGER venues_located AFTER UPDATE OF status, geo_lat, geo_lng ON public.venues FOR EACH ROW EXECUTE FUNCTION public.venues_located();

CREATE TRIGGER venues_removed AFTER DELETE ON public.venues FOR EACH ROW EXECUTE FUNCTION public.venues_removed();

ALTER TABLE ONLY public.event_categories
    ADD CONSTRAINT event_categories_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_categories
    ADD CONSTRAINT event_categories_target_id_fkey FOREIGN KEY (target_id) REFERENCES public.categories(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_organizers
    ADD CONSTRAINT event_organizers_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_organizers
    ADD CONSTRAINT event_organizers_target_id_fkey FOREIGN KEY (target_id) REFERENCES public.organizers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_tags
    ADD CONSTRAINT event_tags_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_tags
    ADD CONSTRAINT event_tags_target_id_fkey FOREIGN KEY (target_id) REFERENCES public.tags(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_venues
    ADD CONSTRAINT event_venues_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_venues
    ADD CONSTRAINT event_venues_target_id_fkey FOREIGN KEY (target_id) REFERENCES public.venues(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_author_id_fkey FOREIGN KEY (author_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_image_id_fkey FOREIGN KEY (image_id) REFERENCES public.images(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.organizers
    ADD CONSTRAINT organizers_author_id_fkey FOREIGN KEY (author_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.organizers
    ADD CONSTRAINT organizers_follows_event_id_fkey FOREIGN KEY (follows_event_id) REFERENCES public.events(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.organizers
    ADD CONSTRAINT organizers_image_id_fkey FOREIGN KEY (image_id) REFERENCES public.images(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.venues
    ADD CONSTRAINT venues_author_id_fkey FOREIGN KEY (author_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.venues
    ADD CONSTRAINT venues_follows_event_id_fkey FOREIGN KEY (follows_event_id) REFERENCES public.events(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.venues
    ADD CONSTRAINT venues_image_id_fkey FOREIGN KEY (image_id) REFERENCES public.images(id) ON DELETE SET NULL;

