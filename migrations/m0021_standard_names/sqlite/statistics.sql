-- Standard names on SQLite, part 4 of 4: the query planner's statistics of the renamed tables, as in the baseline.

DELETE FROM sqlite_stat1 WHERE tbl IN (
    'event_sections', 'category_paths', 'event_slots', 'category_events', 'tag_events',
    'event_category_closure', 'category_closure', 'event_time_buckets', 'category_event_counts',
    'tag_event_counts'
);
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('category_closure', 'sqlite_autoindex_category_closure_1', '800 3 1'),
    ('category_closure', 'category_closure_descendants', '800 3 1'),
    ('event_category_closure', 'sqlite_autoindex_event_category_closure_1', '2300000 3 1'),
    ('event_category_closure', 'event_category_closure_listing', '2300000 7600 2 1 1 1 1 1 1 1'),
    ('event_time_buckets', 'event_time_buckets_key', '50000 12000 6000 4 3 2 1'),
    ('category_event_counts', 'category_event_counts_key', '300 1'),
    ('tag_event_counts', 'tag_event_counts_key', '3000 1');
ANALYZE sqlite_schema;
