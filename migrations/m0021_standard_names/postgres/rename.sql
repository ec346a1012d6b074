-- Standard names on PostgreSQL, part 1 of 3: tables, columns and indexes. The functions of triggers contain names of
-- tables, so all are dropped here and created by the next parts.

-- Servers of the previous release may be writing. Their transactions lock `events` before the other tables, too.
LOCK TABLE
    events, venues, organizers, categories, tags, event_venues, event_organizers, event_categories, event_tags,
    images, users, changes
IN ACCESS EXCLUSIVE MODE;

DROP FUNCTION
    events_to_links, event_venues_from_event, event_organizers_from_event, event_categories_from_event,
    event_tags_from_event, event_sections_from_event, event_venues_unlocated, venues_located, events_counted,
    events_recounted, events_discounted, event_categories_recounted, event_categories_discounted,
    categories_forgotten, event_tags_recounted, event_tags_discounted, tags_forgotten, event_venues_prolonged,
    event_venues_shortened, event_organizers_prolonged, event_organizers_shortened, events_lock_hosts,
    categories_alone, event_categories_together, categories_planted, categories_moved, categories_uprooted,
    event_categories_sectioned, event_categories_unsectioned, events_known_by_instants, changes_forgotten,
    events_added, events_removed, events_decided, events_told, event_venues_added, event_venues_removed,
    event_organizers_added, event_organizers_removed, event_categories_added, event_categories_removed,
    event_tags_added, event_tags_removed, venues_added, venues_changed, venues_removed, organizers_added,
    organizers_changed, organizers_removed, categories_added, categories_changed, categories_removed, tags_added,
    tags_changed, tags_removed, images_added, images_changed, images_removed, users_added, users_changed,
    users_removed
CASCADE;

ALTER TABLE category_paths RENAME TO category_closure;
ALTER INDEX category_paths_pkey RENAME TO category_closure_pkey;
ALTER INDEX category_paths_below RENAME TO category_closure_descendants;

ALTER TABLE event_sections RENAME TO event_category_closure;
ALTER INDEX event_sections_pkey RENAME TO event_category_closure_pkey;
ALTER INDEX event_sections_listing RENAME TO event_category_closure_listing;

ALTER TABLE event_slots RENAME TO event_time_buckets;
ALTER TABLE event_time_buckets RENAME COLUMN slot TO bucket;
ALTER TABLE event_time_buckets RENAME COLUMN events TO event_count;
ALTER INDEX event_slots_key RENAME TO event_time_buckets_key;

ALTER TABLE category_events RENAME TO category_event_counts;
ALTER TABLE category_event_counts RENAME COLUMN events TO event_count;
ALTER INDEX category_events_key RENAME TO category_event_counts_key;

ALTER TABLE tag_events RENAME TO tag_event_counts;
ALTER TABLE tag_event_counts RENAME COLUMN events TO event_count;
ALTER INDEX tag_events_key RENAME TO tag_event_counts_key;

ALTER TABLE changes RENAME TO change_log;
ALTER INDEX changes_pkey RENAME TO change_log_pkey;
ALTER INDEX changes_transaction RENAME TO change_log_transaction;
ALTER SEQUENCE changes_number_seq RENAME TO change_log_number_seq;
