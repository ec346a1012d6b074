-- Baseline for SQLite, part 4 of 4: statistics for the query planner.
--
-- From the statistics of a small calendar, SQLite would choose plans that are slow once it has grown; without
-- statistics, it does not know how selective an index is. So all calendars have the statistics of one with a million
-- events, and the same plans (https://www.sqlite.org/queryplanner-ng.html#howtofix). `stat` is as ANALYZE writes it:
-- the number of rows of an index, then how many of them share the first column, the first two columns, and so on.

-- Creates the statistics tables without analysing other tables, which this connection would then scan, as they are
-- still empty.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('events', 'events_listing', '1000000 250000 125000 6 1 1 1 1 1 1'),
    ('events', 'events_long', '25000 6000 2 1 1 1 1 1 1'),
    ('events', 'events_publication', '1000000 250000 1 1 1 1 1 1 1'),
    ('events', 'events_end', '1000000 250000 2 1'),
    ('events', 'events_slug', '1000000 1'),
    ('events', 'events_author', '1000000 20000'),
    ('events', 'events_parent', '1000000 200'),
    ('events', 'events_image', '1000000 4000'),
    ('venues', 'venues_listing', '20000 10000 1 1 1'),
    ('venues', 'venues_name', '20000 4 1'),
    ('venues', 'venues_position', '20000 2 1'),
    ('venues', 'venues_slug', '20000 1'),
    ('venues', 'venues_image', '20000 1500'),
    ('organizers', 'organizers_listing', '5000 2500 1 1 1'),
    ('organizers', 'organizers_name', '5000 3 1'),
    ('organizers', 'organizers_slug', '5000 1'),
    ('organizers', 'organizers_image', '5000 400'),
    ('categories', 'sqlite_autoindex_categories_1', '300 1'),
    ('categories', 'categories_name', '300 12 1'),
    ('categories', 'categories_order', '300 1 1'),
    ('tags', 'sqlite_autoindex_tags_1', '3000 1'),
    ('tags', 'tags_name', '3000 1'),
    ('tags', 'tags_order', '3000 1 1'),
    ('event_venues', 'sqlite_autoindex_event_venues_1', '950000 1 1'),
    ('event_venues', 'event_venues_listing', '950000 50 1 1 1 1 1 1 1 1'),
    ('event_venues', 'event_venues_publication', '950000 1 1'),
    ('event_organizers', 'sqlite_autoindex_event_organizers_1', '1150000 2 1'),
    ('event_organizers', 'event_organizers_listing', '1150000 230 1 1 1 1 1 1 1 1'),
    ('event_organizers', 'event_organizers_publication', '1150000 1 1'),
    ('event_categories', 'sqlite_autoindex_event_categories_1', '1350000 2 1'),
    ('event_categories', 'event_categories_listing', '1350000 4500 2 1 1 1 1 1 1 1'),
    ('event_categories', 'event_categories_publication', '1350000 4500 1 1'),
    ('event_tags', 'sqlite_autoindex_event_tags_1', '2400000 3 1'),
    ('event_tags', 'event_tags_listing', '2400000 800 2 1 1 1 1 1 1 1'),
    ('event_tags', 'event_tags_publication', '2400000 800 1 1'),
    ('category_paths', 'sqlite_autoindex_category_paths_1', '800 3 1'),
    ('category_paths', 'category_paths_below', '800 3 1'),
    ('event_sections', 'sqlite_autoindex_event_sections_1', '2300000 3 1'),
    ('event_sections', 'event_sections_listing', '2300000 7600 2 1 1 1 1 1 1 1'),
    ('event_slots', 'event_slots_key', '50000 12000 6000 4 3 2 1'),
    ('category_events', 'category_events_key', '300 1'),
    ('tag_events', 'tag_events_key', '3000 1');
-- Loads the statistics into this connection. Others load them with the new schema.
ANALYZE sqlite_schema;
