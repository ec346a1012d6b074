-- Former slugs, on SQLite: pages redirect from them. Images with known sizes, for which pages reserve the space.

CREATE TABLE former_slugs (
    -- 'event', 'venue', 'organizer', 'category' or 'tag'.
    kind      text    NOT NULL,
    slug      text    NOT NULL,
    -- The last object that gave up the slug.
    target_id integer NOT NULL,
    PRIMARY KEY (kind, slug)
) WITHOUT ROWID;
CREATE INDEX former_slugs_target ON former_slugs (kind, target_id);

ALTER TABLE images ADD COLUMN width integer;
ALTER TABLE images ADD COLUMN height integer;


-- Every slug that an object has had since this step, and no longer has, is a former slug of the last such object.

CREATE TRIGGER events_former_slug_update AFTER UPDATE OF slug ON events
FOR EACH ROW WHEN NEW.slug <> OLD.slug BEGIN
    INSERT INTO former_slugs (kind, slug, target_id) VALUES ('event', OLD.slug, OLD.id)
    ON CONFLICT (kind, slug) DO UPDATE SET target_id = excluded.target_id;
END;
CREATE TRIGGER venues_former_slug_update AFTER UPDATE OF slug ON venues
FOR EACH ROW WHEN NEW.slug <> OLD.slug BEGIN
    INSERT INTO former_slugs (kind, slug, target_id) VALUES ('venue', OLD.slug, OLD.id)
    ON CONFLICT (kind, slug) DO UPDATE SET target_id = excluded.target_id;
END;
CREATE TRIGGER organizers_former_slug_update AFTER UPDATE OF slug ON organizers
FOR EACH ROW WHEN NEW.slug <> OLD.slug BEGIN
    INSERT INTO former_slugs (kind, slug, target_id) VALUES ('organizer', OLD.slug, OLD.id)
    ON CONFLICT (kind, slug) DO UPDATE SET target_id = excluded.target_id;
END;
CREATE TRIGGER categories_former_slug_update AFTER UPDATE OF slug ON categories
FOR EACH ROW WHEN NEW.slug <> OLD.slug BEGIN
    INSERT INTO former_slugs (kind, slug, target_id) VALUES ('category', OLD.slug, OLD.id)
    ON CONFLICT (kind, slug) DO UPDATE SET target_id = excluded.target_id;
END;
CREATE TRIGGER tags_former_slug_update AFTER UPDATE OF slug ON tags
FOR EACH ROW WHEN NEW.slug <> OLD.slug BEGIN
    INSERT INTO former_slugs (kind, slug, target_id) VALUES ('tag', OLD.slug, OLD.id)
    ON CONFLICT (kind, slug) DO UPDATE SET target_id = excluded.target_id;
END;


-- A former slug has an object.

CREATE TRIGGER events_former_slug_delete AFTER DELETE ON events
FOR EACH ROW BEGIN DELETE FROM former_slugs WHERE kind = 'event' AND target_id = OLD.id; END;
CREATE TRIGGER venues_former_slug_delete AFTER DELETE ON venues
FOR EACH ROW BEGIN DELETE FROM former_slugs WHERE kind = 'venue' AND target_id = OLD.id; END;
CREATE TRIGGER organizers_former_slug_delete AFTER DELETE ON organizers
FOR EACH ROW BEGIN DELETE FROM former_slugs WHERE kind = 'organizer' AND target_id = OLD.id; END;
CREATE TRIGGER categories_former_slug_delete AFTER DELETE ON categories
FOR EACH ROW BEGIN DELETE FROM former_slugs WHERE kind = 'category' AND target_id = OLD.id; END;
CREATE TRIGGER tags_former_slug_delete AFTER DELETE ON tags
FOR EACH ROW BEGIN DELETE FROM former_slugs WHERE kind = 'tag' AND target_id = OLD.id; END;
