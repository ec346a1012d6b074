-- Former slugs, on PostgreSQL: pages redirect from them. Images with known sizes, for which pages reserve the space.

-- Servers of the previous release may be writing. Their transactions lock `events` before the other tables, too.
LOCK TABLE events, venues, organizers, categories, tags, images IN ACCESS EXCLUSIVE MODE;

CREATE TABLE former_slugs (
    -- 'event', 'venue', 'organizer', 'category' or 'tag'.
    kind      text   NOT NULL,
    slug      text   NOT NULL,
    -- The last object that gave up the slug.
    target_id bigint NOT NULL,
    PRIMARY KEY (kind, slug)
);
CREATE INDEX former_slugs_target ON former_slugs (kind, target_id);

ALTER TABLE images ADD COLUMN width bigint;
ALTER TABLE images ADD COLUMN height bigint;


-- Every slug that an object has had since this step, and no longer has, is a former slug of the last such object. The
-- argument is the kind.
CREATE FUNCTION former_slug_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO former_slugs (kind, slug, target_id) VALUES (TG_ARGV[0], OLD.slug, OLD.id)
    ON CONFLICT (kind, slug) DO UPDATE SET target_id = excluded.target_id;
    RETURN NULL;
END $$;
CREATE TRIGGER events_former_slug_update AFTER UPDATE OF slug ON events
FOR EACH ROW WHEN (NEW.slug <> OLD.slug) EXECUTE FUNCTION former_slug_update('event');
CREATE TRIGGER venues_former_slug_update AFTER UPDATE OF slug ON venues
FOR EACH ROW WHEN (NEW.slug <> OLD.slug) EXECUTE FUNCTION former_slug_update('venue');
CREATE TRIGGER organizers_former_slug_update AFTER UPDATE OF slug ON organizers
FOR EACH ROW WHEN (NEW.slug <> OLD.slug) EXECUTE FUNCTION former_slug_update('organizer');
CREATE TRIGGER categories_former_slug_update AFTER UPDATE OF slug ON categories
FOR EACH ROW WHEN (NEW.slug <> OLD.slug) EXECUTE FUNCTION former_slug_update('category');
CREATE TRIGGER tags_former_slug_update AFTER UPDATE OF slug ON tags
FOR EACH ROW WHEN (NEW.slug <> OLD.slug) EXECUTE FUNCTION former_slug_update('tag');


-- A former slug has an object. The argument is the kind.
CREATE FUNCTION former_slug_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM former_slugs WHERE kind = TG_ARGV[0] AND target_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER events_former_slug_delete AFTER DELETE ON events
FOR EACH ROW EXECUTE FUNCTION former_slug_delete('event');
CREATE TRIGGER venues_former_slug_delete AFTER DELETE ON venues
FOR EACH ROW EXECUTE FUNCTION former_slug_delete('venue');
CREATE TRIGGER organizers_former_slug_delete AFTER DELETE ON organizers
FOR EACH ROW EXECUTE FUNCTION former_slug_delete('organizer');
CREATE TRIGGER categories_former_slug_delete AFTER DELETE ON categories
FOR EACH ROW EXECUTE FUNCTION former_slug_delete('category');
CREATE TRIGGER tags_former_slug_delete AFTER DELETE ON tags
FOR EACH ROW EXECUTE FUNCTION former_slug_delete('tag');
