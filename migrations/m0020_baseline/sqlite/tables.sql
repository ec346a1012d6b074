-- Baseline for SQLite, part 1 of 4: tables and indexes.
--
-- Conventions:
--   * Instants (`…_at`) are whole seconds since 1970-01-01T00:00:00Z.
--   * `version` counts the changes of a row; it is the source of the ETag.
--   * `search_text` is the case-folded text that searches match.
--   * `name_key` is the normalised name by which a list is sorted and equal names are found.
--   * Indexes of lists are covering: they contain every column that the lists filter by.


-- Users and tokens ----------------------------------------------------------------------------------------------------

CREATE TABLE users (
    id            integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    name          text    NOT NULL UNIQUE,
    role          text    NOT NULL,
    password_hash text    NOT NULL,
    created_at    integer NOT NULL
);

-- `expires_at` is null for a token that does not expire.
CREATE TABLE tokens (
    id         integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id    integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       text    NOT NULL,
    hash       text    NOT NULL UNIQUE,
    created_at integer NOT NULL,
    expires_at integer
);
CREATE INDEX tokens_user ON tokens (user_id);


-- Images: addresses only; the bytes are stored elsewhere --------------------------------------------------------------

CREATE TABLE images (
    id  integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    url text    NOT NULL UNIQUE
);


-- Categories (a tree) and tags ----------------------------------------------------------------------------------------

-- `parent` is 0 for a root: the unique index would not compare nulls.
CREATE TABLE categories (
    id          integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    version     integer NOT NULL,
    name        text    NOT NULL,
    name_key    text    NOT NULL,
    slug        text    NOT NULL UNIQUE,
    description text    NOT NULL,
    search_text text    NOT NULL,
    parent      integer NOT NULL
);
CREATE UNIQUE INDEX categories_name ON categories (parent, name_key);
CREATE INDEX categories_order ON categories (name_key, id);

CREATE TABLE tags (
    id          integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    version     integer NOT NULL,
    name        text    NOT NULL,
    name_key    text    NOT NULL,
    slug        text    NOT NULL UNIQUE,
    description text    NOT NULL,
    search_text text    NOT NULL
);
CREATE UNIQUE INDEX tags_name ON tags (name_key);
CREATE INDEX tags_order ON tags (name_key, id);


-- Events --------------------------------------------------------------------------------------------------------------

-- `starts_local` and `ends_local` are the source of truth: seconds since 1970-01-01 00:00:00 on the clock of
-- `timezone`. `starts_offset` and `ends_offset` (seconds east of UTC) disambiguate repeated local times, and are null
-- otherwise. `starts_at` and `ends_at` are derived from them by the time zone rules of the release `tz_release`, which
-- is empty if only the instants are known. Releases are ordered as text.
--
-- `description_text` is the description as plain text; null until it has been computed.
-- `located` is derived: whether the event has a published venue with coordinates.
-- `trashed_status` and `trashed_at` are the status before the trash and the time of the move; null outside the trash.
CREATE TABLE events (
    id                 integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    version            integer NOT NULL,
    status             text    NOT NULL,
    slug               text    NOT NULL,
    published_at       integer NOT NULL,
    modified_at        integer NOT NULL,
    title              text    NOT NULL,
    description        text    NOT NULL,
    search_text        text    NOT NULL,
    author_id          integer REFERENCES users (id) ON DELETE SET NULL,
    image_id           integer REFERENCES images (id) ON DELETE SET NULL,
    excerpt            text    NOT NULL,
    starts_at          integer NOT NULL,
    ends_at            integer NOT NULL,
    timezone           text    NOT NULL,
    cost               text    NOT NULL,
    website            text    NOT NULL,
    custom_fields      text    NOT NULL,
    post_parent        integer,
    all_day            boolean NOT NULL,
    show_map           boolean NOT NULL,
    show_map_link      boolean NOT NULL,
    hide_from_listings boolean NOT NULL,
    sticky             boolean NOT NULL,
    featured           boolean NOT NULL,
    ticketed           boolean NOT NULL,
    located            boolean NOT NULL DEFAULT FALSE,
    description_text   text,
    starts_local       bigint  NOT NULL DEFAULT 0,
    ends_local         bigint  NOT NULL DEFAULT 0,
    starts_offset      bigint,
    ends_offset        bigint,
    tz_release         text    NOT NULL DEFAULT '',
    trashed_status     text,
    trashed_at         bigint
);
-- Objects in the trash give up their slugs.
CREATE UNIQUE INDEX events_slug ON events (slug) WHERE status <> 'trash';
CREATE INDEX events_end ON events (status, ends_at, id);
CREATE INDEX events_author ON events (author_id);
CREATE INDEX events_parent ON events (post_parent);
CREATE INDEX events_image ON events (image_id);
CREATE INDEX events_listing ON events (
    status, hide_from_listings, starts_at, id, ends_at, published_at, featured, ticketed, located
);
-- Events longer than a week (604,800 seconds). All others that are in progress have started within the last week.
CREATE INDEX events_long ON events (
    status, ends_at, starts_at, published_at, hide_from_listings, featured, ticketed, located
) WHERE ends_at - starts_at > 604800;
CREATE INDEX events_publication ON events (
    status, published_at, starts_at, ends_at, hide_from_listings, featured, ticketed, located
);
CREATE INDEX events_without_description_text ON events (id) WHERE description_text IS NULL;
CREATE INDEX events_tz_release ON events (tz_release);
CREATE INDEX events_trashed ON events (trashed_at) WHERE trashed_at IS NOT NULL;


-- Venues and organizers -----------------------------------------------------------------------------------------------

-- `globe_x`, `globe_y`, `globe_z` are the coordinates on the unit sphere, to compare distances without trigonometry.
-- `last_ends_at` is derived: the end of the venue's last published event.
-- `follows_event_id` is set while the status of the venue follows that of the event with which it was created.
CREATE TABLE venues (
    id               integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    version          integer NOT NULL,
    status           text    NOT NULL,
    slug             text    NOT NULL,
    published_at     integer NOT NULL,
    modified_at      integer NOT NULL,
    title            text    NOT NULL,
    description      text    NOT NULL,
    search_text      text    NOT NULL,
    author_id        integer REFERENCES users (id) ON DELETE SET NULL,
    image_id         integer REFERENCES images (id) ON DELETE SET NULL,
    name_key         text    NOT NULL,
    address          text    NOT NULL,
    city             text    NOT NULL,
    country          text    NOT NULL,
    province         text    NOT NULL,
    state            text    NOT NULL,
    zip              text    NOT NULL,
    phone            text    NOT NULL,
    website          text    NOT NULL,
    geo_lat          double,
    geo_lng          double,
    globe_x          double,
    globe_y          double,
    globe_z          double,
    show_map         boolean NOT NULL,
    show_map_link    boolean NOT NULL,
    last_ends_at     integer,
    description_text text,
    trashed_status   text,
    trashed_at       bigint,
    follows_event_id bigint REFERENCES events (id) ON DELETE SET NULL
);
CREATE INDEX venues_name ON venues (name_key, id);
CREATE UNIQUE INDEX venues_slug ON venues (slug) WHERE status <> 'trash';
CREATE INDEX venues_image ON venues (image_id);
CREATE INDEX venues_listing ON venues (status, published_at, id, last_ends_at);
CREATE INDEX venues_position ON venues (geo_lat, geo_lng, status, published_at, globe_x, globe_y, globe_z);
CREATE INDEX venues_without_description_text ON venues (id) WHERE description_text IS NULL;
CREATE INDEX venues_trashed ON venues (trashed_at) WHERE trashed_at IS NOT NULL;
CREATE INDEX venues_following ON venues (follows_event_id) WHERE follows_event_id IS NOT NULL;

CREATE TABLE organizers (
    id               integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    version          integer NOT NULL,
    status           text    NOT NULL,
    slug             text    NOT NULL,
    published_at     integer NOT NULL,
    modified_at      integer NOT NULL,
    title            text    NOT NULL,
    description      text    NOT NULL,
    search_text      text    NOT NULL,
    author_id        integer REFERENCES users (id) ON DELETE SET NULL,
    image_id         integer REFERENCES images (id) ON DELETE SET NULL,
    name_key         text    NOT NULL,
    phone            text    NOT NULL,
    website          text    NOT NULL,
    email            text    NOT NULL,
    last_ends_at     integer,
    description_text text,
    trashed_status   text,
    trashed_at       bigint,
    follows_event_id bigint REFERENCES events (id) ON DELETE SET NULL
);
CREATE INDEX organizers_name ON organizers (name_key, id);
CREATE UNIQUE INDEX organizers_slug ON organizers (slug) WHERE status <> 'trash';
CREATE INDEX organizers_image ON organizers (image_id);
CREATE INDEX organizers_listing ON organizers (status, published_at, id, last_ends_at);
CREATE INDEX organizers_without_description_text ON organizers (id) WHERE description_text IS NULL;
CREATE INDEX organizers_trashed ON organizers (trashed_at) WHERE trashed_at IS NOT NULL;
CREATE INDEX organizers_following ON organizers (follows_event_id) WHERE follows_event_id IS NOT NULL;


-- Links from events to venues, organizers, categories and tags --------------------------------------------------------

-- `position` is the place of the target in the event's list, from 0. All columns after it are denormalised: copies of
-- the event's columns, so that a list of the events of a target is read from the link's index alone. `published_at` is
-- null unless the status of the event is 'publish'.
CREATE TABLE event_venues (
    event_id           integer NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    target_id          integer NOT NULL REFERENCES venues (id) ON DELETE CASCADE,
    position           integer NOT NULL,
    starts_at          integer NOT NULL DEFAULT 0,
    ends_at            integer NOT NULL DEFAULT 0,
    published_at       integer,
    hide_from_listings boolean NOT NULL DEFAULT FALSE,
    featured           boolean NOT NULL DEFAULT FALSE,
    ticketed           boolean NOT NULL DEFAULT FALSE,
    located            boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (event_id, target_id)
);
CREATE INDEX event_venues_listing ON event_venues (
    target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located
);
CREATE INDEX event_venues_publication ON event_venues (published_at, target_id);
-- The second and further venues of events. Counts of the events in an area subtract them, to count each event once.
CREATE INDEX event_venues_further ON event_venues (
    starts_at, event_id, position, target_id, ends_at, published_at, hide_from_listings, featured, ticketed, located
) WHERE position > 0;

CREATE TABLE event_organizers (
    event_id           integer NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    target_id          integer NOT NULL REFERENCES organizers (id) ON DELETE CASCADE,
    position           integer NOT NULL,
    starts_at          integer NOT NULL DEFAULT 0,
    ends_at            integer NOT NULL DEFAULT 0,
    published_at       integer,
    hide_from_listings boolean NOT NULL DEFAULT FALSE,
    featured           boolean NOT NULL DEFAULT FALSE,
    ticketed           boolean NOT NULL DEFAULT FALSE,
    located            boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (event_id, target_id)
);
CREATE INDEX event_organizers_listing ON event_organizers (
    target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located
);
CREATE INDEX event_organizers_publication ON event_organizers (published_at, target_id);

CREATE TABLE event_categories (
    event_id           integer NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    target_id          integer NOT NULL REFERENCES categories (id) ON DELETE CASCADE,
    position           integer NOT NULL,
    starts_at          integer NOT NULL DEFAULT 0,
    ends_at            integer NOT NULL DEFAULT 0,
    published_at       integer,
    hide_from_listings boolean NOT NULL DEFAULT FALSE,
    featured           boolean NOT NULL DEFAULT FALSE,
    ticketed           boolean NOT NULL DEFAULT FALSE,
    located            boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (event_id, target_id)
);
CREATE INDEX event_categories_listing ON event_categories (
    target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located
);
CREATE INDEX event_categories_publication ON event_categories (target_id, published_at, hide_from_listings);

CREATE TABLE event_tags (
    event_id           integer NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    target_id          integer NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    position           integer NOT NULL,
    starts_at          integer NOT NULL DEFAULT 0,
    ends_at            integer NOT NULL DEFAULT 0,
    published_at       integer,
    hide_from_listings boolean NOT NULL DEFAULT FALSE,
    featured           boolean NOT NULL DEFAULT FALSE,
    ticketed           boolean NOT NULL DEFAULT FALSE,
    located            boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (event_id, target_id)
);
CREATE INDEX event_tags_listing ON event_tags (
    target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located
);
CREATE INDEX event_tags_publication ON event_tags (target_id, published_at, hide_from_listings);


-- Derived tables ------------------------------------------------------------------------------------------------------

-- The closure of the category tree: each category with itself and all its ancestors.
CREATE TABLE category_paths (
    category_id integer NOT NULL,
    ancestor_id integer NOT NULL,
    PRIMARY KEY (category_id, ancestor_id)
);
CREATE INDEX category_paths_below ON category_paths (ancestor_id, category_id);

-- Each event with its categories and all their ancestors, once each; otherwise as `event_categories`.
CREATE TABLE event_sections (
    event_id           integer NOT NULL,
    target_id          integer NOT NULL,
    starts_at          integer NOT NULL DEFAULT 0,
    ends_at            integer NOT NULL DEFAULT 0,
    published_at       integer,
    hide_from_listings boolean NOT NULL DEFAULT FALSE,
    featured           boolean NOT NULL DEFAULT FALSE,
    ticketed           boolean NOT NULL DEFAULT FALSE,
    located            boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (event_id, target_id)
);
CREATE INDEX event_sections_listing ON event_sections (
    target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located
);

-- The number of events by start, in buckets of 2^16 seconds, and by the other columns that lists filter by.
CREATE TABLE event_slots (
    status             text    NOT NULL,
    hide_from_listings boolean NOT NULL,
    slot               integer NOT NULL,
    featured           boolean NOT NULL,
    ticketed           boolean NOT NULL,
    located            boolean NOT NULL,
    events             integer NOT NULL
);
CREATE UNIQUE INDEX event_slots_key ON event_slots (status, hide_from_listings, slot, featured, ticketed, located);

-- The number of published, listed events of each category and of each tag.
CREATE TABLE category_events (
    target_id integer NOT NULL,
    events    integer NOT NULL
);
CREATE UNIQUE INDEX category_events_key ON category_events (target_id);

CREATE TABLE tag_events (
    target_id integer NOT NULL,
    events    integer NOT NULL
);
CREATE UNIQUE INDEX tag_events_key ON tag_events (target_id);

-- The change log: one row for each change that may change a response. `event_id` is set if only texts of that event
-- have changed. Only the latest rows are kept. It is never empty: readers look for the last number that they have read.
CREATE TABLE changes (
    number   integer PRIMARY KEY,
    event_id bigint
);
INSERT INTO changes (event_id) VALUES (NULL);

-- Full-text indexes of trigrams, without a copy of the texts. The texts are stored folded, hence `case_sensitive`.
CREATE VIRTUAL TABLE event_search USING fts5(
    search_text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1'
);
CREATE VIRTUAL TABLE venue_search USING fts5(
    search_text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1'
);
CREATE VIRTUAL TABLE organizer_search USING fts5(
    search_text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1'
);
