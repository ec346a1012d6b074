-- Standard names on SQLite, part 1 of 4: tables, columns and indexes. SQLite can rename neither indexes nor triggers:
-- they are dropped and created again, triggers by the next parts.

DROP TRIGGER events_to_links;
DROP TRIGGER event_venues_from_event;
DROP TRIGGER event_organizers_from_event;
DROP TRIGGER event_categories_from_event;
DROP TRIGGER event_tags_from_event;
DROP TRIGGER event_sections_from_event;
DROP TRIGGER event_venues_unlocated;
DROP TRIGGER venues_located;
DROP TRIGGER events_counted;
DROP TRIGGER events_recounted;
DROP TRIGGER events_discounted;
DROP TRIGGER event_categories_recounted;
DROP TRIGGER event_categories_discounted;
DROP TRIGGER categories_forgotten;
DROP TRIGGER event_tags_recounted;
DROP TRIGGER event_tags_discounted;
DROP TRIGGER tags_forgotten;
DROP TRIGGER event_venues_prolonged;
DROP TRIGGER event_venues_shortened;
DROP TRIGGER event_organizers_prolonged;
DROP TRIGGER event_organizers_shortened;
DROP TRIGGER categories_planted;
DROP TRIGGER categories_moved;
DROP TRIGGER categories_uprooted;
DROP TRIGGER event_categories_sectioned;
DROP TRIGGER event_categories_unsectioned;
DROP TRIGGER event_search_indexed;
DROP TRIGGER event_search_reindexed;
DROP TRIGGER event_search_unindexed;
DROP TRIGGER venue_search_indexed;
DROP TRIGGER venue_search_reindexed;
DROP TRIGGER venue_search_unindexed;
DROP TRIGGER organizer_search_indexed;
DROP TRIGGER organizer_search_reindexed;
DROP TRIGGER organizer_search_unindexed;
DROP TRIGGER events_known_by_instants;
DROP TRIGGER changes_forgotten;
DROP TRIGGER events_added;
DROP TRIGGER events_removed;
DROP TRIGGER events_decided;
DROP TRIGGER events_told;
DROP TRIGGER event_venues_added;
DROP TRIGGER event_venues_removed;
DROP TRIGGER event_organizers_added;
DROP TRIGGER event_organizers_removed;
DROP TRIGGER event_categories_added;
DROP TRIGGER event_categories_removed;
DROP TRIGGER event_tags_added;
DROP TRIGGER event_tags_removed;
DROP TRIGGER venues_added;
DROP TRIGGER venues_changed;
DROP TRIGGER venues_removed;
DROP TRIGGER organizers_added;
DROP TRIGGER organizers_changed;
DROP TRIGGER organizers_removed;
DROP TRIGGER categories_added;
DROP TRIGGER categories_changed;
DROP TRIGGER categories_removed;
DROP TRIGGER tags_added;
DROP TRIGGER tags_changed;
DROP TRIGGER tags_removed;
DROP TRIGGER images_added;
DROP TRIGGER images_changed;
DROP TRIGGER images_removed;
DROP TRIGGER users_added;
DROP TRIGGER users_changed;
DROP TRIGGER users_removed;

ALTER TABLE category_paths RENAME TO category_closure;
DROP INDEX category_paths_below;
CREATE INDEX category_closure_descendants ON category_closure (ancestor_id, category_id);

ALTER TABLE event_sections RENAME TO event_category_closure;
DROP INDEX event_sections_listing;
CREATE INDEX event_category_closure_listing ON event_category_closure (
    target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located
);

ALTER TABLE event_slots RENAME TO event_time_buckets;
ALTER TABLE event_time_buckets RENAME COLUMN slot TO bucket;
ALTER TABLE event_time_buckets RENAME COLUMN events TO event_count;
DROP INDEX event_slots_key;
CREATE UNIQUE INDEX event_time_buckets_key ON event_time_buckets (
    status, hide_from_listings, bucket, featured, ticketed, located
);

ALTER TABLE category_events RENAME TO category_event_counts;
ALTER TABLE category_event_counts RENAME COLUMN events TO event_count;
DROP INDEX category_events_key;
CREATE UNIQUE INDEX category_event_counts_key ON category_event_counts (target_id);

ALTER TABLE tag_events RENAME TO tag_event_counts;
ALTER TABLE tag_event_counts RENAME COLUMN events TO event_count;
DROP INDEX tag_events_key;
CREATE UNIQUE INDEX tag_event_counts_key ON tag_event_counts (target_id);

ALTER TABLE changes RENAME TO change_log;
