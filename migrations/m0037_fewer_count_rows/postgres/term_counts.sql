-- Fewer rows of counts on PostgreSQL, part 2 of 2: the counts of categories and tags, in the same way.


-- Counts of categories ------------------------------------------------------------------------------------------------

WITH removed AS (DELETE FROM category_event_counts RETURNING target_id, event_count)
INSERT INTO category_event_counts (target_id, event_count)
SELECT target_id, SUM(event_count) FROM removed GROUP BY target_id;
DROP INDEX category_event_counts_key;
CREATE INDEX category_event_counts_key ON category_event_counts (target_id);
ALTER TABLE category_event_counts SET (fillfactor = 50);
ANALYZE category_event_counts;

CREATE FUNCTION add_to_category_count(counted_id bigint, difference bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE category_event_counts SET event_count = event_count + difference WHERE ctid = (
        SELECT ctid FROM category_event_counts WHERE target_id = counted_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    );
    IF NOT FOUND THEN
        INSERT INTO category_event_counts (target_id, event_count) VALUES (counted_id, difference);
    END IF;
END $$;

-- `category_event_counts` has the number of published, listed events of each category.
CREATE OR REPLACE FUNCTION event_categories_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_category_count(NEW.target_id, 1);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION event_categories_count_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_category_count(
        OLD.target_id, CASE WHEN NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings THEN 1 ELSE -1 END
    );
    RETURN NULL;
END $$;
DROP TRIGGER event_categories_count_update ON event_categories;
CREATE TRIGGER event_categories_count_update
AFTER UPDATE OF published_at, hide_from_listings ON event_categories
FOR EACH ROW
WHEN (
    (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings)
    <> (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings)
)
EXECUTE FUNCTION event_categories_count_update();

-- The count of a deleted category is deleted with it, before its links are.
CREATE OR REPLACE FUNCTION event_categories_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM categories WHERE id = OLD.target_id) THEN
        PERFORM add_to_category_count(OLD.target_id, -1);
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER event_categories_count_delete ON event_categories;
CREATE TRIGGER event_categories_count_delete
AFTER DELETE ON event_categories
FOR EACH ROW
WHEN (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings)
EXECUTE FUNCTION event_categories_count_delete();

DROP FUNCTION compact_category_event_counts;


-- Counts of tags ------------------------------------------------------------------------------------------------------

WITH removed AS (DELETE FROM tag_event_counts RETURNING target_id, event_count)
INSERT INTO tag_event_counts (target_id, event_count)
SELECT target_id, SUM(event_count) FROM removed GROUP BY target_id;
DROP INDEX tag_event_counts_key;
CREATE INDEX tag_event_counts_key ON tag_event_counts (target_id);
ALTER TABLE tag_event_counts SET (fillfactor = 50);
ANALYZE tag_event_counts;

CREATE FUNCTION add_to_tag_count(counted_id bigint, difference bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tag_event_counts SET event_count = event_count + difference WHERE ctid = (
        SELECT ctid FROM tag_event_counts WHERE target_id = counted_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    );
    IF NOT FOUND THEN
        INSERT INTO tag_event_counts (target_id, event_count) VALUES (counted_id, difference);
    END IF;
END $$;

-- `tag_event_counts` has the number of published, listed events of each tag.
CREATE OR REPLACE FUNCTION event_tags_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_tag_count(NEW.target_id, 1);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION event_tags_count_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_tag_count(
        OLD.target_id, CASE WHEN NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings THEN 1 ELSE -1 END
    );
    RETURN NULL;
END $$;
DROP TRIGGER event_tags_count_update ON event_tags;
CREATE TRIGGER event_tags_count_update
AFTER UPDATE OF published_at, hide_from_listings ON event_tags
FOR EACH ROW
WHEN (
    (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings)
    <> (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings)
)
EXECUTE FUNCTION event_tags_count_update();

-- The count of a deleted tag is deleted with it, before its links are.
CREATE OR REPLACE FUNCTION event_tags_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM tags WHERE id = OLD.target_id) THEN
        PERFORM add_to_tag_count(OLD.target_id, -1);
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER event_tags_count_delete ON event_tags;
CREATE TRIGGER event_tags_count_delete
AFTER DELETE ON event_tags
FOR EACH ROW
WHEN (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings)
EXECUTE FUNCTION event_tags_count_delete();

DROP FUNCTION compact_tag_event_counts;
