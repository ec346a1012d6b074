-- Recurring series, on SQLite: the rule of each series, and the place of its events in the rule.

-- `recurrence` has the lines RRULE, RDATE and EXDATE (RFC 5545) in local times of `timezone`. `starts_local` is the local
-- start of the first occurrence, in seconds since 1970-01-01 00:00:00 on the clock of `timezone`. `duration` is that of
-- each occurrence: seconds, or days if `all_day` is true.
-- `fields` is a JSON object with the fields that the events share.
-- `expanded_until` is the local time up to which events exist, in the unit of `starts_local`; null if the rule has an end
-- and all its events exist.
-- `uid` is the identifier in a calendar that the series was imported from; null for others.
CREATE TABLE series (
    id             integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    version        bigint  NOT NULL,
    status         text    NOT NULL,
    trashed_status text,
    trashed_at     bigint,
    published_at   bigint  NOT NULL,
    modified_at    bigint  NOT NULL,
    author_id      bigint REFERENCES users (id) ON DELETE SET NULL,
    uid            text,
    timezone       text    NOT NULL,
    starts_local   bigint  NOT NULL,
    duration       bigint  NOT NULL,
    all_day        boolean NOT NULL,
    recurrence     text    NOT NULL,
    expanded_until bigint,
    fields         text    NOT NULL
);
CREATE INDEX series_author ON series (author_id);
CREATE INDEX series_expansion ON series (expanded_until) WHERE expanded_until IS NOT NULL AND status <> 'trash';
CREATE INDEX series_trashed ON series (trashed_at) WHERE trashed_at IS NOT NULL;

-- `recurrence_id` is the local time of the occurrence in the rule, in the unit of `starts_local`, even if the event has
-- been moved; null for events without a series. `overridden` has the names of the fields that the event does not share
-- with the series, separated by commas.
ALTER TABLE events ADD COLUMN series_id bigint REFERENCES series (id) ON DELETE SET NULL;
ALTER TABLE events ADD COLUMN recurrence_id bigint;
ALTER TABLE events ADD COLUMN overridden text NOT NULL DEFAULT '';

-- No two events of a series have the same place in its rule.
CREATE UNIQUE INDEX events_series ON events (series_id, recurrence_id) WHERE series_id IS NOT NULL;
CREATE INDEX events_series_listing ON events (
    series_id, status, hide_from_listings, starts_at, id, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status
) WHERE series_id IS NOT NULL;

-- Lists read the columns of filters from the index that has their order.
DROP INDEX events_listing;
CREATE INDEX events_listing ON events (
    status, hide_from_listings, starts_at, id, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status, series_id
);
DROP INDEX events_title;
CREATE INDEX events_title ON events (
    status, hide_from_listings, title_key, starts_at, id, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status, series_id
);
DROP INDEX events_modified;
CREATE INDEX events_modified ON events (
    status, hide_from_listings, modified_at, id, starts_at, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status, series_id
);
DROP INDEX events_author;
CREATE INDEX events_author ON events (
    author_id, status, hide_from_listings, starts_at, id, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status, series_id
);
DROP INDEX events_by_id;
CREATE INDEX events_by_id ON events (
    CAST(id AS integer), status, hide_from_listings, starts_at, ends_at, published_at, featured, ticketed, located,
    cost_min, cost_max, event_status, series_id
);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('series', 'series_author', '5000 50'),
    ('series', 'series_expansion', '1000 2'),
    ('series', 'series_trashed', '100 2'),
    ('events', 'events_series', '250000 50 1'),
    ('events', 'events_series_listing', '250000 50 48 46 1 1 1 1 1 1 1 1 1 1'),
    ('events', 'events_listing', '1000000 250000 125000 6 1 1 1 1 1 1 1 1 1 1'),
    ('events', 'events_title', '1000000 250000 125000 20 1 1 1 1 1 1 1 1 1 1 1'),
    ('events', 'events_modified', '1000000 250000 125000 2 1 1 1 1 1 1 1 1 1 1 1'),
    ('events', 'events_author', '1000000 20000 18000 17000 1 1 1 1 1 1 1 1 1 1 1'),
    ('events', 'events_by_id', '1000000 1 1 1 1 1 1 1 1 1 1 1 1 1');
ANALYZE sqlite_schema;

-- Every change of a row that responses contain adds a row to `change_log`.
CREATE TRIGGER series_log_insert AFTER INSERT ON series
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER series_log_update AFTER UPDATE ON series
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;
CREATE TRIGGER series_log_delete AFTER DELETE ON series
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;

-- These columns determine which lists contain an event, its position in them, and who may read it.
DROP TRIGGER events_log_update;
CREATE TRIGGER events_log_update AFTER UPDATE OF
    status, slug, published_at, author_id, starts_at, ends_at, post_parent, hide_from_listings, sticky,
    featured, ticketed, located, event_status, cost_min, cost_max, series_id ON events
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NULL); END;

-- These columns affect only searches, lists by title or change, and the representation of the event: other responses
-- without the event stay valid.
DROP TRIGGER events_log_text_update;
CREATE TRIGGER events_log_text_update AFTER UPDATE OF
    version, modified_at, title, title_key, description, search_text, image_id, excerpt, timezone, cost, website,
    custom_fields, all_day, show_map, show_map_link, recurrence_id, overridden ON events
FOR EACH ROW BEGIN INSERT INTO change_log (event_id) VALUES (NEW.id); END;
