-- A SQLite database of the last version before the baseline (m0001_users to m0019_lock_order), with rows of every kind.
-- Migrated and filled by that version; written out table by table.

PRAGMA foreign_keys = OFF;
BEGIN;

CREATE TABLE "migrations" ( "version" varchar NOT NULL PRIMARY KEY, "applied_at" integer NOT NULL );
INSERT INTO migrations VALUES
('m0001_users', 1795378418),
('m0002_images', 1795378418),
('m0003_terms', 1795378418),
('m0004_venues_and_organizers', 1795378418),
('m0005_events', 1795378418),
('m0006_links', 1795378418),
('m0007_listing', 1795378418),
('m0008_upkeep', 1795378418),
('m0009_search', 1795378418),
('m0010_statistics', 1795378418),
('m0011_changes', 1795378418),
('m0012_long_events', 1795378418),
('m0013_turns_at_the_tree', 1795378418),
('m0014_around_a_place', 1795378418),
('m0015_description_texts', 1795378418),
('m0016_local_times', 1795378418),
('m0017_trash_and_following', 1795378418),
('m0019_lock_order', 1795378418);

CREATE TABLE "users" ( "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" text NOT NULL UNIQUE, "role" text NOT NULL, "password_hash" text NOT NULL, "created_at" integer NOT NULL );
INSERT INTO users VALUES
(1, 'admin', 'administrator', '17479347d980fe9d3f6f94f3dec9eb6a8ffe8f212e8d3ede0b6056034cc4e4f9', 1795378418),
(2, 'ann', 'author', '376a694bf42d53141f046c7dceb590c736237980bbd283f1319aab9fcd879d21', 1795378418),
(3, 'bob', 'subscriber', '5642953400b183690a6f6dca77a6a25cebedc33dd3c960e6d5991d66f31b34d1', 1795378418);

CREATE TABLE "tokens" ( "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "user_id" integer NOT NULL, "name" text NOT NULL, "hash" text NOT NULL UNIQUE, "created_at" integer NOT NULL, "expires_at" integer NULL, FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE );
INSERT INTO tokens VALUES
(1, 2, 'import', '4415ff98e65c89ceb05bcab6142a2f0fbb01602e6690e8bf80f46b87626d74c4', 1795378418, NULL),
(2, 1, 'backup', 'ed7023efa85951391e79634d7f70358aeaaa95ebcbae16f5ce94c69c345192d2', 1795378418, 2110738418);

CREATE TABLE "images" ( "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "url" text NOT NULL UNIQUE );
INSERT INTO images VALUES
(1, 'https://example.org/hall.png'),
(2, 'https://example.org/ben.png'),
(3, 'https://example.org/festival.png');

CREATE TABLE "categories" ( "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "version" integer NOT NULL, "name" text NOT NULL, "name_key" text NOT NULL, "slug" text NOT NULL UNIQUE, "description" text NOT NULL, "search_text" text NOT NULL, "parent" integer NOT NULL );
INSERT INTO categories VALUES
(1, 1, 'Music', 'music', 'music', 'All about Music', 'music music', 0),
(2, 1, 'Jazz', 'jazz', 'jazz', 'All about Jazz', 'jazz jazz', 1),
(3, 1, 'Bebop', 'bebop', 'bebop', 'All about Bebop', 'bebop bebop', 2),
(4, 1, 'Stage', 'stage', 'stage', 'All about Stage', 'stage stage', 0),
(5, 2, 'Opera', 'opera', 'opera', 'All about Opera', 'opera opera', 1),
(6, 1, 'Poetry', 'poetry', 'poetry', '', 'poetry poetry', 0);

CREATE TABLE "tags" ( "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "version" integer NOT NULL, "name" text NOT NULL, "name_key" text NOT NULL, "slug" text NOT NULL UNIQUE, "description" text NOT NULL, "search_text" text NOT NULL );
INSERT INTO tags VALUES
(1, 1, 'free', 'free', 'free', '', 'free free'),
(2, 1, 'outdoors', 'outdoors', 'outdoors', '', 'outdoors outdoors'),
(3, 1, 'Ütf-8 ☕', 'utf-8 ☕', 'utf-8-coffee', '', 'utf-8 ☕ utf-8-coffee');

CREATE TABLE "venues" ( "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "version" integer NOT NULL, "status" text NOT NULL, "slug" text NOT NULL, "published_at" integer NOT NULL, "modified_at" integer NOT NULL, "title" text NOT NULL, "description" text NOT NULL, "search_text" text NOT NULL, "author_id" integer NULL, "image_id" integer NULL, "name_key" text NOT NULL, "address" text NOT NULL, "city" text NOT NULL, "country" text NOT NULL, "province" text NOT NULL, "state" text NOT NULL, "zip" text NOT NULL, "phone" text NOT NULL, "website" text NOT NULL, "geo_lat" double NULL, "geo_lng" double NULL, "globe_x" double NULL, "globe_y" double NULL, "globe_z" double NULL, "show_map" boolean NOT NULL, "show_map_link" boolean NOT NULL, "last_ends_at" integer NULL, description_text text, trashed_status text, trashed_at bigint, follows_event_id bigint REFERENCES events (id) ON DELETE SET NULL, FOREIGN KEY ("author_id") REFERENCES "users" ("id") ON DELETE SET NULL, FOREIGN KEY ("image_id") REFERENCES "images" ("id") ON DELETE SET NULL );
INSERT INTO venues VALUES
(1, 1, 'publish', 'town-hall', 1795378419, 1795378419, 'Town Hall', '<p>A <em>fine</em> hall.</p>', 'town hall 1 main street kiel germany 24103 +49 431 1 https://hall.example a fine hall.', 1, 1, 'town hall', '1 Main Street', 'Kiel', 'Germany', '', '', '24103', '+49 431 1', 'https://hall.example', 54.3233, 10.1228, 0.574132260588876, 0.10250426510318517, 0.8123207636068174, 1, 1, 1824949800, NULL, NULL, NULL, NULL),
(2, 1, 'publish', 'park', 1795378419, 1795378419, 'Park', '', 'park', 1, NULL, 'park', '', '', '', '', '', '', '', '', NULL, NULL, NULL, NULL, NULL, 1, 1, 1813528799, '', NULL, NULL, NULL),
(3, 2, 'trash', 'closed-club', 1795378419, 1795378419, 'Closed Club', '', 'closed club', 1, NULL, 'closed club', '', '', '', '', '', '', '', '', 54.0, 10.0, 0.5788554735638642, 0.10206783792008485, 0.8090169943749475, 1, 1, NULL, '', 'publish', 1795378419, NULL),
(4, 1, 'draft', 'planned-stage', 1795378419, 1795378419, 'Planned Stage', '', 'planned stage', 1, NULL, 'planned stage', '', '', '', '', '', '', '', '', -33.9, 18.4, 0.7875787466972272, 0.2619925784446166, -0.5577451089796901, 1, 1, NULL, '', NULL, NULL, NULL),
(5, 1, 'draft', 'new-place', 1795378419, 1795378419, 'New place', '', 'new place', 1, NULL, 'new place', '', '', '', '', '', '', '', '', 1.5, 2.5, 0.9987058727081077, 0.043604440090704404, 0.026176948307873153, 1, 1, NULL, '', NULL, NULL, 6);

CREATE TABLE "organizers" ( "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "version" integer NOT NULL, "status" text NOT NULL, "slug" text NOT NULL, "published_at" integer NOT NULL, "modified_at" integer NOT NULL, "title" text NOT NULL, "description" text NOT NULL, "search_text" text NOT NULL, "author_id" integer NULL, "image_id" integer NULL, "name_key" text NOT NULL, "phone" text NOT NULL, "website" text NOT NULL, "email" text NOT NULL, "last_ends_at" integer NULL, description_text text, trashed_status text, trashed_at bigint, follows_event_id bigint REFERENCES events (id) ON DELETE SET NULL, FOREIGN KEY ("author_id") REFERENCES "users" ("id") ON DELETE SET NULL, FOREIGN KEY ("image_id") REFERENCES "images" ("id") ON DELETE SET NULL );
INSERT INTO organizers VALUES
(1, 1, 'publish', 'ann-co', 1795378419, 1795378419, 'Ann & Co', 'Organizes <strong>a lot</strong>.', 'ann & co 1 https://ann.example ann@example.org organizes a lot.', 1, NULL, 'ann & co', '1', 'https://ann.example', 'ann@example.org', 1813528799, NULL, NULL, NULL, NULL),
(2, 1, 'publish', 'ben', 1795378419, 1795378419, 'Ben', '', 'ben', 1, 2, 'ben', '', '', '', 1824949800, '', NULL, NULL, NULL),
(3, 2, 'trash', 'gone', 1795378419, 1795378419, 'Gone', '', 'gone', 1, NULL, 'gone', '', '', '', NULL, '', 'publish', 1795378419, NULL),
(4, 1, 'draft', 'new-host', 1795378419, 1795378419, 'New host', '', 'new host', 1, NULL, 'new host', '', '', '', NULL, '', NULL, NULL, 6);

CREATE TABLE "events" ( "id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "version" integer NOT NULL, "status" text NOT NULL, "slug" text NOT NULL, "published_at" integer NOT NULL, "modified_at" integer NOT NULL, "title" text NOT NULL, "description" text NOT NULL, "search_text" text NOT NULL, "author_id" integer NULL, "image_id" integer NULL, "excerpt" text NOT NULL, "starts_at" integer NOT NULL, "ends_at" integer NOT NULL, "timezone" text NOT NULL, "cost" text NOT NULL, "website" text NOT NULL, "custom_fields" text NOT NULL, "post_parent" integer NULL, "all_day" boolean NOT NULL, "show_map" boolean NOT NULL, "show_map_link" boolean NOT NULL, "hide_from_listings" boolean NOT NULL, "sticky" boolean NOT NULL, "featured" boolean NOT NULL, "ticketed" boolean NOT NULL, "located" boolean NOT NULL DEFAULT FALSE, description_text text, starts_local bigint NOT NULL DEFAULT 0, ends_local bigint NOT NULL DEFAULT 0, starts_offset bigint, ends_offset bigint, tz_release text NOT NULL DEFAULT '', trashed_status text, trashed_at bigint, FOREIGN KEY ("author_id") REFERENCES "users" ("id") ON DELETE SET NULL, FOREIGN KEY ("image_id") REFERENCES "images" ("id") ON DELETE SET NULL );
INSERT INTO events VALUES
(1, 1, 'publish', 'festival', 1795378419, 1795378419, 'Festival', '<p>Three weeks of <b>music</b>.</p>', 'festival three weeks of music.', 1, 3, 'Three weeks', 1811800800, 1813528799, 'Europe/Berlin', '', '', '{}', NULL, 1, 0, 0, 0, 1, 1, 1, 1, NULL, 1811808000, 1813535999, NULL, NULL, '2026e', NULL, NULL),
(2, 1, 'publish', 'late-set', 1795378419, 1795378419, 'Late set', '', 'late set', 1, NULL, '', 1824946200, 1824949800, 'Europe/Berlin', '€ 12', 'https://late.example', '{}', NULL, 0, 0, 0, 0, 0, 0, 0, 1, '', 1824949800, 1824953400, 3600, NULL, '2026e', NULL, NULL),
(3, 1, 'publish', 'noon-concert', 1795378419, 1795378419, 'Noon concert', '', 'noon concert', 1, NULL, '', 1797364800, 1797368400, 'America/Vancouver', '10 - 20', '', '{"door":"left"}', 1, 0, 0, 0, 0, 0, 0, 0, 0, '', 1797336000, 1797339600, NULL, NULL, '2025b', NULL, NULL),
(4, 1, 'publish', 'hidden', 1795378419, 1795378419, 'Hidden', '', 'hidden', 1, NULL, '', 1801645200, 1801648800, 'UTC', '', '', '{}', NULL, 0, 0, 0, 1, 0, 0, 0, 0, '', 1801645200, 1801648800, NULL, NULL, '2026e', NULL, NULL),
(5, 1, 'private', 'private', 1795378419, 1795378419, 'Private', '', 'private', 1, NULL, '', 1801711800, 1801715400, 'UTC+5:30', '', '', '{}', NULL, 0, 0, 0, 0, 0, 0, 0, 0, '', 1801731600, 1801735200, NULL, NULL, '2026e', NULL, NULL),
(6, 1, 'draft', 'draft', 1795378419, 1795378419, 'Draft', '', 'draft', 1, NULL, '', 1801818000, 1801821600, 'UTC', '', '', '{}', NULL, 0, 0, 0, 0, 0, 0, 0, 0, '', 1801818000, 1801821600, NULL, NULL, '2026e', NULL, NULL),
(7, 1, 'pending', 'pending', 1795378419, 1795378419, 'Pending', '', 'pending', 1, NULL, '', 1801904400, 1801908000, 'UTC', '', '', '{}', NULL, 0, 0, 0, 0, 0, 0, 0, 0, '', 1801904400, 1801908000, NULL, NULL, '2026e', NULL, NULL),
(8, 1, 'publish', 'planned', 4039372800, 1795378419, 'Planned', '', 'planned', 1, NULL, '', 4074051600, 4074055200, 'UTC', '', '', '{}', NULL, 0, 0, 0, 0, 0, 0, 0, 0, '', 4074051600, 4074055200, NULL, NULL, '2026e', NULL, NULL),
(9, 2, 'trash', 'trashed', 1795378419, 1795378419, 'Trashed', '', 'trashed', 1, NULL, '', 1801990800, 1801994400, 'UTC', '', '', '{}', NULL, 0, 0, 0, 0, 0, 0, 0, 0, '', 1801990800, 1801994400, NULL, NULL, '2026e', 'publish', 1795378419),
(10, 2, 'publish', 'an-old-one', 1795378419, 1795378419, 'An older one', '', 'an older one', 1, NULL, '', 1549526400, 1549530000, 'Africa/Casablanca', '', '', '{}', NULL, 0, 0, 0, 0, 0, 0, 0, 0, '', 1549530000, 1549533600, NULL, NULL, '', NULL, NULL);

CREATE TABLE "event_venues" ( "event_id" integer NOT NULL, "target_id" integer NOT NULL, "position" integer NOT NULL, "starts_at" integer NOT NULL DEFAULT 0, "ends_at" integer NOT NULL DEFAULT 0, "published_at" integer NULL, "hide_from_listings" boolean NOT NULL DEFAULT FALSE, "featured" boolean NOT NULL DEFAULT FALSE, "ticketed" boolean NOT NULL DEFAULT FALSE, "located" boolean NOT NULL DEFAULT FALSE, PRIMARY KEY ("event_id", "target_id"), FOREIGN KEY ("event_id") REFERENCES "events" ("id") ON DELETE CASCADE, FOREIGN KEY ("target_id") REFERENCES "venues" ("id") ON DELETE CASCADE );
INSERT INTO event_venues VALUES
(1, 1, 0, 1811800800, 1813528799, 1795378419, 0, 1, 1, 1),
(1, 2, 1, 1811800800, 1813528799, 1795378419, 0, 1, 1, 1),
(2, 1, 0, 1824946200, 1824949800, 1795378419, 0, 0, 0, 1),
(6, 5, 0, 1801818000, 1801821600, NULL, 0, 0, 0, 0),
(9, 2, 0, 1801990800, 1801994400, NULL, 0, 0, 0, 0);

CREATE TABLE "event_organizers" ( "event_id" integer NOT NULL, "target_id" integer NOT NULL, "position" integer NOT NULL, "starts_at" integer NOT NULL DEFAULT 0, "ends_at" integer NOT NULL DEFAULT 0, "published_at" integer NULL, "hide_from_listings" boolean NOT NULL DEFAULT FALSE, "featured" boolean NOT NULL DEFAULT FALSE, "ticketed" boolean NOT NULL DEFAULT FALSE, "located" boolean NOT NULL DEFAULT FALSE, PRIMARY KEY ("event_id", "target_id"), FOREIGN KEY ("event_id") REFERENCES "events" ("id") ON DELETE CASCADE, FOREIGN KEY ("target_id") REFERENCES "organizers" ("id") ON DELETE CASCADE );
INSERT INTO event_organizers VALUES
(1, 1, 0, 1811800800, 1813528799, 1795378419, 0, 1, 1, 1),
(1, 2, 1, 1811800800, 1813528799, 1795378419, 0, 1, 1, 1),
(2, 2, 0, 1824946200, 1824949800, 1795378419, 0, 0, 0, 1),
(6, 4, 0, 1801818000, 1801821600, NULL, 0, 0, 0, 0),
(10, 1, 0, 1549526400, 1549530000, 1795378419, 0, 0, 0, 0);

CREATE TABLE "event_categories" ( "event_id" integer NOT NULL, "target_id" integer NOT NULL, "position" integer NOT NULL, "starts_at" integer NOT NULL DEFAULT 0, "ends_at" integer NOT NULL DEFAULT 0, "published_at" integer NULL, "hide_from_listings" boolean NOT NULL DEFAULT FALSE, "featured" boolean NOT NULL DEFAULT FALSE, "ticketed" boolean NOT NULL DEFAULT FALSE, "located" boolean NOT NULL DEFAULT FALSE, PRIMARY KEY ("event_id", "target_id"), FOREIGN KEY ("event_id") REFERENCES "events" ("id") ON DELETE CASCADE, FOREIGN KEY ("target_id") REFERENCES "categories" ("id") ON DELETE CASCADE );
INSERT INTO event_categories VALUES
(1, 1, 0, 1811800800, 1813528799, 1795378419, 0, 1, 1, 1),
(1, 5, 1, 1811800800, 1813528799, 1795378419, 0, 1, 1, 1),
(2, 3, 0, 1824946200, 1824949800, 1795378419, 0, 0, 0, 1),
(3, 2, 0, 1797364800, 1797368400, 1795378419, 0, 0, 0, 0),
(3, 4, 1, 1797364800, 1797368400, 1795378419, 0, 0, 0, 0),
(4, 2, 0, 1801645200, 1801648800, 1795378419, 1, 0, 0, 0),
(6, 6, 0, 1801818000, 1801821600, NULL, 0, 0, 0, 0),
(8, 5, 0, 4074051600, 4074055200, 4039372800, 0, 0, 0, 0),
(9, 5, 0, 1801990800, 1801994400, NULL, 0, 0, 0, 0);

CREATE TABLE "event_tags" ( "event_id" integer NOT NULL, "target_id" integer NOT NULL, "position" integer NOT NULL, "starts_at" integer NOT NULL DEFAULT 0, "ends_at" integer NOT NULL DEFAULT 0, "published_at" integer NULL, "hide_from_listings" boolean NOT NULL DEFAULT FALSE, "featured" boolean NOT NULL DEFAULT FALSE, "ticketed" boolean NOT NULL DEFAULT FALSE, "located" boolean NOT NULL DEFAULT FALSE, PRIMARY KEY ("event_id", "target_id"), FOREIGN KEY ("event_id") REFERENCES "events" ("id") ON DELETE CASCADE, FOREIGN KEY ("target_id") REFERENCES "tags" ("id") ON DELETE CASCADE );
INSERT INTO event_tags VALUES
(1, 1, 0, 1811800800, 1813528799, 1795378419, 0, 1, 1, 1),
(1, 2, 1, 1811800800, 1813528799, 1795378419, 0, 1, 1, 1),
(2, 1, 0, 1824946200, 1824949800, 1795378419, 0, 0, 0, 1),
(5, 2, 0, 1801711800, 1801715400, NULL, 0, 0, 0, 0);

CREATE TABLE "category_paths" ( "category_id" integer NOT NULL, "ancestor_id" integer NOT NULL, PRIMARY KEY ("category_id", "ancestor_id") );
INSERT INTO category_paths VALUES
(1, 1),
(2, 2),
(2, 1),
(3, 3),
(3, 1),
(3, 2),
(4, 4),
(5, 5),
(6, 6),
(5, 1);

CREATE TABLE "event_sections" ( "event_id" integer NOT NULL, "target_id" integer NOT NULL, "starts_at" integer NOT NULL DEFAULT 0, "ends_at" integer NOT NULL DEFAULT 0, "published_at" integer NULL, "hide_from_listings" boolean NOT NULL DEFAULT FALSE, "featured" boolean NOT NULL DEFAULT FALSE, "ticketed" boolean NOT NULL DEFAULT FALSE, "located" boolean NOT NULL DEFAULT FALSE, PRIMARY KEY ("event_id", "target_id") );
INSERT INTO event_sections VALUES
(1, 1, 1811800800, 1813528799, 1795378419, 0, 1, 1, 1),
(1, 5, 1811800800, 1813528799, 1795378419, 0, 1, 1, 1),
(2, 1, 1824946200, 1824949800, 1795378419, 0, 0, 0, 1),
(2, 2, 1824946200, 1824949800, 1795378419, 0, 0, 0, 1),
(2, 3, 1824946200, 1824949800, 1795378419, 0, 0, 0, 1),
(3, 1, 1797364800, 1797368400, 1795378419, 0, 0, 0, 0),
(3, 2, 1797364800, 1797368400, 1795378419, 0, 0, 0, 0),
(3, 4, 1797364800, 1797368400, 1795378419, 0, 0, 0, 0),
(4, 1, 1801645200, 1801648800, 1795378419, 1, 0, 0, 0),
(4, 2, 1801645200, 1801648800, 1795378419, 1, 0, 0, 0),
(6, 6, 1801818000, 1801821600, NULL, 0, 0, 0, 0),
(8, 5, 4074051600, 4074055200, 4039372800, 0, 0, 0, 0),
(9, 5, 1801990800, 1801994400, NULL, 0, 0, 0, 0),
(8, 1, 4074051600, 4074055200, 4039372800, 0, 0, 0, 0),
(9, 1, 1801990800, 1801994400, NULL, 0, 0, 0, 0);

CREATE TABLE "event_slots" ( "status" text NOT NULL, "hide_from_listings" boolean NOT NULL, "slot" integer NOT NULL, "featured" boolean NOT NULL, "ticketed" boolean NOT NULL, "located" boolean NOT NULL, "events" integer NOT NULL );
INSERT INTO event_slots VALUES
('publish', 0, 27645, 1, 0, 0, 0),
('publish', 0, 27645, 1, 0, 1, 0),
('publish', 0, 27846, 0, 0, 0, 0),
('publish', 0, 27846, 0, 0, 1, 1),
('publish', 0, 27425, 0, 0, 0, 1),
('publish', 1, 27490, 0, 0, 0, 1),
('private', 0, 27491, 0, 0, 0, 1),
('draft', 0, 27493, 0, 0, 0, 1),
('pending', 0, 27494, 0, 0, 0, 1),
('publish', 0, 62165, 0, 0, 0, 1),
('publish', 0, 27496, 0, 0, 0, 0),
('trash', 0, 27496, 0, 0, 0, 1),
('publish', 0, 23643, 0, 0, 0, 1),
('publish', 0, 27645, 1, 1, 1, 1);

CREATE TABLE "category_events" ( "target_id" integer NOT NULL, "events" integer NOT NULL );
INSERT INTO category_events VALUES
(1, 1),
(5, 2),
(3, 1),
(2, 1),
(4, 1);

CREATE TABLE "tag_events" ( "target_id" integer NOT NULL, "events" integer NOT NULL );
INSERT INTO tag_events VALUES
(1, 2),
(2, 1);

CREATE TABLE changes (number integer PRIMARY KEY, event_id bigint);
INSERT INTO changes VALUES
(1, NULL),
(2, NULL),
(3, NULL),
(4, NULL),
(5, NULL),
(6, NULL),
(7, NULL),
(8, NULL),
(9, NULL),
(10, NULL),
(11, NULL),
(12, NULL),
(13, NULL),
(14, NULL),
(15, NULL),
(16, NULL),
(17, NULL),
(18, NULL),
(19, NULL),
(20, NULL),
(21, NULL),
(22, NULL),
(23, NULL),
(24, NULL),
(25, NULL),
(26, NULL),
(27, NULL),
(28, NULL),
(29, NULL),
(30, NULL),
(31, NULL),
(32, NULL),
(33, NULL),
(34, NULL),
(35, NULL),
(36, NULL),
(37, NULL),
(38, NULL),
(39, NULL),
(40, NULL),
(41, NULL),
(42, NULL),
(43, NULL),
(44, NULL),
(45, NULL),
(46, NULL),
(47, NULL),
(48, NULL),
(49, NULL),
(50, NULL),
(51, NULL),
(52, NULL),
(53, NULL),
(54, NULL),
(55, NULL),
(56, NULL),
(57, NULL),
(58, NULL),
(59, NULL),
(60, NULL),
(61, NULL),
(62, NULL),
(63, NULL),
(64, NULL),
(65, NULL),
(66, NULL),
(67, 9),
(68, NULL),
(69, NULL),
(70, NULL),
(71, 10),
(72, NULL),
(73, NULL),
(74, NULL),
(75, 3),
(76, NULL),
(77, NULL),
(78, NULL),
(79, NULL),
(80, NULL),
(81, NULL),
(82, NULL),
(83, 3),
(84, NULL),
(85, NULL),
(86, NULL),
(87, NULL),
(88, NULL);

DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES
('users', 3),
('tokens', 2),
('categories', 6),
('tags', 3),
('images', 3),
('venues', 5),
('organizers', 4),
('events', 10);

CREATE VIRTUAL TABLE event_search USING fts5(search_text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');
INSERT INTO event_search (rowid, search_text) SELECT id, search_text FROM events;
CREATE VIRTUAL TABLE venue_search USING fts5(search_text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');
INSERT INTO venue_search (rowid, search_text) SELECT id, search_text FROM venues;
CREATE VIRTUAL TABLE organizer_search USING fts5(search_text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');
INSERT INTO organizer_search (rowid, search_text) SELECT id, search_text FROM organizers;

CREATE INDEX "tokens_user" ON "tokens" ("user_id");
CREATE UNIQUE INDEX "categories_name" ON "categories" ("parent", "name_key");
CREATE UNIQUE INDEX "tags_name" ON "tags" ("name_key");
CREATE INDEX "categories_order" ON "categories" ("name_key", "id");
CREATE INDEX "tags_order" ON "tags" ("name_key", "id");
CREATE INDEX "venues_name" ON "venues" ("name_key", "id");
CREATE UNIQUE INDEX venues_slug ON venues (slug) WHERE status <> 'trash';
CREATE INDEX "venues_image" ON "venues" ("image_id");
CREATE INDEX "organizers_name" ON "organizers" ("name_key", "id");
CREATE UNIQUE INDEX organizers_slug ON organizers (slug) WHERE status <> 'trash';
CREATE INDEX "organizers_image" ON "organizers" ("image_id");
CREATE UNIQUE INDEX events_slug ON events (slug) WHERE status <> 'trash';
CREATE INDEX "events_end" ON "events" ("status", "ends_at", "id");
CREATE INDEX "events_author" ON "events" ("author_id");
CREATE INDEX "events_parent" ON "events" ("post_parent");
CREATE INDEX "events_image" ON "events" ("image_id");
CREATE UNIQUE INDEX event_slots_key ON event_slots (status, hide_from_listings, slot, featured, ticketed, located);
CREATE UNIQUE INDEX category_events_key ON category_events (target_id);
CREATE UNIQUE INDEX tag_events_key ON tag_events (target_id);
CREATE INDEX events_listing ON events (status, hide_from_listings, starts_at, id, ends_at, published_at, featured, ticketed, located);
CREATE INDEX events_long ON events (status, ends_at, starts_at, published_at, hide_from_listings, featured, ticketed, located) WHERE ends_at - starts_at > 604800;
CREATE INDEX events_publication ON events (status, published_at, starts_at, ends_at, hide_from_listings, featured, ticketed, located);
CREATE INDEX category_paths_below ON category_paths (ancestor_id, category_id);
CREATE INDEX event_venues_listing ON event_venues (target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located);
CREATE INDEX event_organizers_listing ON event_organizers (target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located);
CREATE INDEX event_categories_listing ON event_categories (target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located);
CREATE INDEX event_tags_listing ON event_tags (target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located);
CREATE INDEX event_sections_listing ON event_sections (target_id, starts_at, event_id, ends_at, published_at, hide_from_listings, featured, ticketed, located);
CREATE INDEX event_categories_publication ON event_categories (target_id, published_at, hide_from_listings);
CREATE INDEX event_tags_publication ON event_tags (target_id, published_at, hide_from_listings);
CREATE INDEX event_venues_publication ON event_venues (published_at, target_id);
CREATE INDEX venues_listing ON venues (status, published_at, id, last_ends_at);
CREATE INDEX event_organizers_publication ON event_organizers (published_at, target_id);
CREATE INDEX organizers_listing ON organizers (status, published_at, id, last_ends_at);
CREATE INDEX venues_position ON venues (geo_lat, geo_lng, status, published_at, globe_x, globe_y, globe_z);
CREATE INDEX event_venues_further ON event_venues (starts_at, event_id, position, target_id, ends_at, published_at, hide_from_listings, featured, ticketed, located) WHERE position > 0;
CREATE INDEX events_without_description_text ON events (id) WHERE description_text IS NULL;
CREATE INDEX venues_without_description_text ON venues (id) WHERE description_text IS NULL;
CREATE INDEX organizers_without_description_text ON organizers (id) WHERE description_text IS NULL;
CREATE INDEX events_tz_release ON events (tz_release);
CREATE INDEX events_trashed ON events (trashed_at) WHERE trashed_at IS NOT NULL;
CREATE INDEX venues_trashed ON venues (trashed_at) WHERE trashed_at IS NOT NULL;
CREATE INDEX organizers_trashed ON organizers (trashed_at) WHERE trashed_at IS NOT NULL;
CREATE INDEX venues_following ON venues (follows_event_id) WHERE follows_event_id IS NOT NULL;
CREATE INDEX organizers_following ON organizers (follows_event_id) WHERE follows_event_id IS NOT NULL;

CREATE TRIGGER events_to_links AFTER UPDATE OF status, published_at, starts_at, ends_at, hide_from_listings, featured, ticketed, located ON events FOR EACH ROW BEGIN UPDATE event_venues SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END, NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located) WHERE event_id = NEW.id; UPDATE event_organizers SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END, NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located) WHERE event_id = NEW.id; UPDATE event_categories SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END, NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located) WHERE event_id = NEW.id; UPDATE event_tags SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END, NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located) WHERE event_id = NEW.id; UPDATE event_sections SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT NEW.starts_at, NEW.ends_at, CASE WHEN NEW.status = 'publish' THEN NEW.published_at END, NEW.hide_from_listings, NEW.featured, NEW.ticketed, NEW.located) WHERE event_id = NEW.id; END;
CREATE TRIGGER event_venues_from_event AFTER INSERT ON event_venues FOR EACH ROW BEGIN UPDATE events SET located = TRUE WHERE id = NEW.event_id AND NOT located AND EXISTS (SELECT 1 FROM venues WHERE venues.id = NEW.target_id AND venues.status = 'publish' AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL); UPDATE event_venues SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END, events.hide_from_listings, events.featured, events.ticketed, events.located FROM events WHERE events.id = NEW.event_id) WHERE event_id = NEW.event_id AND target_id = NEW.target_id; END;
CREATE TRIGGER event_organizers_from_event AFTER INSERT ON event_organizers FOR EACH ROW BEGIN UPDATE event_organizers SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END, events.hide_from_listings, events.featured, events.ticketed, events.located FROM events WHERE events.id = NEW.event_id) WHERE event_id = NEW.event_id AND target_id = NEW.target_id; END;
CREATE TRIGGER event_categories_from_event AFTER INSERT ON event_categories FOR EACH ROW BEGIN UPDATE event_categories SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END, events.hide_from_listings, events.featured, events.ticketed, events.located FROM events WHERE events.id = NEW.event_id) WHERE event_id = NEW.event_id AND target_id = NEW.target_id; END;
CREATE TRIGGER event_tags_from_event AFTER INSERT ON event_tags FOR EACH ROW BEGIN UPDATE event_tags SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END, events.hide_from_listings, events.featured, events.ticketed, events.located FROM events WHERE events.id = NEW.event_id) WHERE event_id = NEW.event_id AND target_id = NEW.target_id; END;
CREATE TRIGGER event_sections_from_event AFTER INSERT ON event_sections FOR EACH ROW BEGIN UPDATE event_sections SET (starts_at, ends_at, published_at, hide_from_listings, featured, ticketed, located) = (SELECT events.starts_at, events.ends_at, CASE WHEN events.status = 'publish' THEN events.published_at END, events.hide_from_listings, events.featured, events.ticketed, events.located FROM events WHERE events.id = NEW.event_id) WHERE event_id = NEW.event_id AND target_id = NEW.target_id; END;
CREATE TRIGGER events_counted AFTER INSERT ON events FOR EACH ROW BEGIN INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT NEW.status, NEW.hide_from_listings, NEW.starts_at >> 16, NEW.featured, NEW.ticketed, NEW.located, 1 WHERE TRUE ON CONFLICT (status, hide_from_listings, slot, featured, ticketed, located) DO UPDATE SET events = events + excluded.events; END;
CREATE TRIGGER events_recounted AFTER UPDATE OF status, hide_from_listings, starts_at, featured, ticketed, located ON events FOR EACH ROW BEGIN INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT OLD.status, OLD.hide_from_listings, OLD.starts_at >> 16, OLD.featured, OLD.ticketed, OLD.located, -1 WHERE TRUE ON CONFLICT (status, hide_from_listings, slot, featured, ticketed, located) DO UPDATE SET events = events + excluded.events; INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT NEW.status, NEW.hide_from_listings, NEW.starts_at >> 16, NEW.featured, NEW.ticketed, NEW.located, 1 WHERE TRUE ON CONFLICT (status, hide_from_listings, slot, featured, ticketed, located) DO UPDATE SET events = events + excluded.events; END;
CREATE TRIGGER events_discounted AFTER DELETE ON events FOR EACH ROW BEGIN INSERT INTO event_slots (status, hide_from_listings, slot, featured, ticketed, located, events) SELECT OLD.status, OLD.hide_from_listings, OLD.starts_at >> 16, OLD.featured, OLD.ticketed, OLD.located, -1 WHERE TRUE ON CONFLICT (status, hide_from_listings, slot, featured, ticketed, located) DO UPDATE SET events = events + excluded.events; END;
CREATE TRIGGER event_categories_recounted AFTER UPDATE OF published_at, hide_from_listings ON event_categories FOR EACH ROW BEGIN INSERT INTO category_events (target_id, events) SELECT OLD.target_id, CASE WHEN (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings) THEN 1 ELSE -1 END WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings) <> (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings) ON CONFLICT (target_id) DO UPDATE SET events = events + excluded.events; END;
CREATE TRIGGER event_categories_discounted AFTER DELETE ON event_categories FOR EACH ROW BEGIN INSERT INTO category_events (target_id, events) SELECT OLD.target_id, -1 WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings) AND EXISTS (SELECT 1 FROM categories WHERE id = OLD.target_id) ON CONFLICT (target_id) DO UPDATE SET events = events + excluded.events; END;
CREATE TRIGGER categories_forgotten AFTER DELETE ON categories FOR EACH ROW BEGIN DELETE FROM category_events WHERE target_id = OLD.id; END;
CREATE TRIGGER event_tags_recounted AFTER UPDATE OF published_at, hide_from_listings ON event_tags FOR EACH ROW BEGIN INSERT INTO tag_events (target_id, events) SELECT OLD.target_id, CASE WHEN (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings) THEN 1 ELSE -1 END WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings) <> (NEW.published_at IS NOT NULL AND NOT NEW.hide_from_listings) ON CONFLICT (target_id) DO UPDATE SET events = events + excluded.events; END;
CREATE TRIGGER event_tags_discounted AFTER DELETE ON event_tags FOR EACH ROW BEGIN INSERT INTO tag_events (target_id, events) SELECT OLD.target_id, -1 WHERE (OLD.published_at IS NOT NULL AND NOT OLD.hide_from_listings) AND EXISTS (SELECT 1 FROM tags WHERE id = OLD.target_id) ON CONFLICT (target_id) DO UPDATE SET events = events + excluded.events; END;
CREATE TRIGGER tags_forgotten AFTER DELETE ON tags FOR EACH ROW BEGIN DELETE FROM tag_events WHERE target_id = OLD.id; END;
CREATE TRIGGER event_venues_prolonged AFTER UPDATE OF ends_at, published_at ON event_venues FOR EACH ROW BEGIN UPDATE venues SET last_ends_at = NEW.ends_at WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at); UPDATE venues SET last_ends_at = (SELECT MAX(ends_at) FROM event_venues WHERE target_id = OLD.target_id AND published_at IS NOT NULL) WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at); END;
CREATE TRIGGER event_venues_shortened AFTER DELETE ON event_venues FOR EACH ROW BEGIN UPDATE venues SET last_ends_at = (SELECT MAX(ends_at) FROM event_venues WHERE target_id = OLD.target_id AND published_at IS NOT NULL) WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL AND TRUE; END;
CREATE TRIGGER event_organizers_prolonged AFTER UPDATE OF ends_at, published_at ON event_organizers FOR EACH ROW BEGIN UPDATE organizers SET last_ends_at = NEW.ends_at WHERE id = NEW.target_id AND NEW.published_at IS NOT NULL AND (last_ends_at IS NULL OR last_ends_at < NEW.ends_at); UPDATE organizers SET last_ends_at = (SELECT MAX(ends_at) FROM event_organizers WHERE target_id = OLD.target_id AND published_at IS NOT NULL) WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL AND (NEW.published_at IS NULL OR NEW.ends_at < OLD.ends_at); END;
CREATE TRIGGER event_organizers_shortened AFTER DELETE ON event_organizers FOR EACH ROW BEGIN UPDATE organizers SET last_ends_at = (SELECT MAX(ends_at) FROM event_organizers WHERE target_id = OLD.target_id AND published_at IS NOT NULL) WHERE last_ends_at = OLD.ends_at AND id = OLD.target_id AND OLD.published_at IS NOT NULL AND TRUE; END;
CREATE TRIGGER event_venues_unlocated AFTER DELETE ON event_venues FOR EACH ROW BEGIN UPDATE events SET located = EXISTS (SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id WHERE event_venues.event_id = events.id AND venues.status = 'publish' AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL) WHERE id = OLD.event_id AND located; END;
CREATE TRIGGER venues_located AFTER UPDATE OF status, geo_lat, geo_lng ON venues FOR EACH ROW BEGIN UPDATE events SET located = EXISTS (SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id WHERE event_venues.event_id = events.id AND venues.status = 'publish' AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL) WHERE id IN (SELECT event_id FROM event_venues WHERE target_id = NEW.id) AND located <> EXISTS (SELECT 1 FROM event_venues JOIN venues ON venues.id = event_venues.target_id WHERE event_venues.event_id = events.id AND venues.status = 'publish' AND venues.geo_lat IS NOT NULL AND venues.geo_lng IS NOT NULL); END;
CREATE TRIGGER categories_planted AFTER INSERT ON categories FOR EACH ROW BEGIN INSERT INTO category_paths (category_id, ancestor_id) SELECT NEW.id, NEW.id; INSERT INTO category_paths (category_id, ancestor_id) SELECT NEW.id, ancestor_id FROM category_paths WHERE category_id = NEW.parent; END;
CREATE TRIGGER categories_moved AFTER UPDATE OF parent ON categories FOR EACH ROW BEGIN DELETE FROM category_paths WHERE category_id IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id) AND ancestor_id NOT IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id); INSERT INTO category_paths (category_id, ancestor_id) SELECT below.category_id, above.ancestor_id FROM category_paths AS below, category_paths AS above WHERE below.ancestor_id = NEW.id AND above.category_id = NEW.parent; DELETE FROM event_sections WHERE event_id IN (SELECT event_id FROM event_categories WHERE target_id IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id)) AND NOT EXISTS (SELECT 1 FROM event_categories JOIN category_paths ON category_id = event_categories.target_id WHERE event_categories.event_id = event_sections.event_id AND ancestor_id = event_sections.target_id); INSERT INTO event_sections (event_id, target_id) SELECT DISTINCT event_id, ancestor_id FROM event_categories JOIN category_paths ON category_id = target_id WHERE event_id IN (SELECT event_id FROM event_categories WHERE target_id IN (SELECT category_id FROM category_paths WHERE ancestor_id = NEW.id)) ON CONFLICT DO NOTHING; END;
CREATE TRIGGER categories_uprooted AFTER DELETE ON categories FOR EACH ROW BEGIN DELETE FROM category_paths WHERE category_id = OLD.id OR ancestor_id = OLD.id; DELETE FROM event_sections WHERE target_id = OLD.id; END;
CREATE TRIGGER event_categories_sectioned AFTER INSERT ON event_categories FOR EACH ROW BEGIN INSERT INTO event_sections (event_id, target_id) SELECT NEW.event_id, ancestor_id FROM category_paths WHERE category_id = NEW.target_id ON CONFLICT DO NOTHING; END;
CREATE TRIGGER event_categories_unsectioned AFTER DELETE ON event_categories FOR EACH ROW BEGIN DELETE FROM event_sections WHERE event_id = OLD.event_id AND NOT EXISTS (SELECT 1 FROM event_categories JOIN category_paths ON category_id = event_categories.target_id WHERE event_categories.event_id = event_sections.event_id AND ancestor_id = event_sections.target_id); END;
CREATE TRIGGER event_search_indexed AFTER INSERT ON events FOR EACH ROW BEGIN INSERT INTO event_search (rowid, search_text) VALUES (NEW.id, NEW.search_text); END;
CREATE TRIGGER event_search_reindexed AFTER UPDATE OF search_text ON events FOR EACH ROW BEGIN DELETE FROM event_search WHERE rowid = OLD.id; INSERT INTO event_search (rowid, search_text) VALUES (NEW.id, NEW.search_text); END;
CREATE TRIGGER event_search_unindexed AFTER DELETE ON events FOR EACH ROW BEGIN DELETE FROM event_search WHERE rowid = OLD.id; END;
CREATE TRIGGER venue_search_indexed AFTER INSERT ON venues FOR EACH ROW BEGIN INSERT INTO venue_search (rowid, search_text) VALUES (NEW.id, NEW.search_text); END;
CREATE TRIGGER venue_search_reindexed AFTER UPDATE OF search_text ON venues FOR EACH ROW BEGIN DELETE FROM venue_search WHERE rowid = OLD.id; INSERT INTO venue_search (rowid, search_text) VALUES (NEW.id, NEW.search_text); END;
CREATE TRIGGER venue_search_unindexed AFTER DELETE ON venues FOR EACH ROW BEGIN DELETE FROM venue_search WHERE rowid = OLD.id; END;
CREATE TRIGGER organizer_search_indexed AFTER INSERT ON organizers FOR EACH ROW BEGIN INSERT INTO organizer_search (rowid, search_text) VALUES (NEW.id, NEW.search_text); END;
CREATE TRIGGER organizer_search_reindexed AFTER UPDATE OF search_text ON organizers FOR EACH ROW BEGIN DELETE FROM organizer_search WHERE rowid = OLD.id; INSERT INTO organizer_search (rowid, search_text) VALUES (NEW.id, NEW.search_text); END;
CREATE TRIGGER organizer_search_unindexed AFTER DELETE ON organizers FOR EACH ROW BEGIN DELETE FROM organizer_search WHERE rowid = OLD.id; END;
CREATE TRIGGER changes_forgotten AFTER INSERT ON changes FOR EACH ROW BEGIN DELETE FROM changes WHERE number <= CASE WHEN NEW.number % 64 = 0 THEN NEW.number - 4096 END; END;
CREATE TRIGGER events_added AFTER INSERT ON events FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER events_decided AFTER UPDATE OF status, slug, published_at, author_id, starts_at, ends_at, post_parent, hide_from_listings, sticky, featured, ticketed, located ON events FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER events_told AFTER UPDATE OF version, modified_at, title, description, search_text, image_id, excerpt, timezone, cost, website, custom_fields, all_day, show_map, show_map_link ON events FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NEW.id); END;
CREATE TRIGGER events_removed AFTER DELETE ON events FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER event_venues_added AFTER INSERT ON event_venues FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER event_venues_removed AFTER DELETE ON event_venues FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER event_organizers_added AFTER INSERT ON event_organizers FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER event_organizers_removed AFTER DELETE ON event_organizers FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER event_categories_added AFTER INSERT ON event_categories FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER event_categories_removed AFTER DELETE ON event_categories FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER event_tags_added AFTER INSERT ON event_tags FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER event_tags_removed AFTER DELETE ON event_tags FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER venues_added AFTER INSERT ON venues FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER venues_changed AFTER UPDATE ON venues FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER venues_removed AFTER DELETE ON venues FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER organizers_added AFTER INSERT ON organizers FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER organizers_changed AFTER UPDATE ON organizers FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER organizers_removed AFTER DELETE ON organizers FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER categories_added AFTER INSERT ON categories FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER categories_changed AFTER UPDATE ON categories FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER categories_removed AFTER DELETE ON categories FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER tags_added AFTER INSERT ON tags FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER tags_changed AFTER UPDATE ON tags FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER tags_removed AFTER DELETE ON tags FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER images_added AFTER INSERT ON images FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER images_changed AFTER UPDATE ON images FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER images_removed AFTER DELETE ON images FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER users_added AFTER INSERT ON users FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER users_changed AFTER UPDATE ON users FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER users_removed AFTER DELETE ON users FOR EACH ROW BEGIN INSERT INTO changes (event_id) VALUES (NULL); END;
CREATE TRIGGER events_known_by_instants AFTER UPDATE OF starts_at, ends_at ON events FOR EACH ROW BEGIN UPDATE events SET tz_release = '' WHERE id = NEW.id AND tz_release <> '' AND (OLD.starts_at <> NEW.starts_at OR OLD.ends_at <> NEW.ends_at) AND OLD.timezone = NEW.timezone AND OLD.tz_release = NEW.tz_release AND OLD.starts_local = NEW.starts_local AND OLD.ends_local = NEW.ends_local AND OLD.starts_offset IS NOT DISTINCT FROM NEW.starts_offset AND OLD.ends_offset IS NOT DISTINCT FROM NEW.ends_offset; END;

ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 VALUES
('events', 'events_listing', '1000000 250000 125000 6 1 1 1 1 1 1'),
('events', 'events_long', '25000 6000 2 1 1 1 1 1 1'),
('events', 'events_publication', '1000000 250000 1 1 1 1 1 1 1'),
('events', 'events_end', '1000000 250000 2 1'),
('events', 'events_slug', '1000000 1'),
('events', 'events_author', '1000000 20000'),
('events', 'events_parent', '1000000 200'),
('events', 'events_image', '1000000 4000'),
('event_venues', 'sqlite_autoindex_event_venues_1', '950000 1 1'),
('event_venues', 'event_venues_listing', '950000 50 1 1 1 1 1 1 1 1'),
('event_organizers', 'sqlite_autoindex_event_organizers_1', '1150000 2 1'),
('event_organizers', 'event_organizers_listing', '1150000 230 1 1 1 1 1 1 1 1'),
('event_venues', 'event_venues_publication', '950000 1 1'),
('event_organizers', 'event_organizers_publication', '1150000 1 1'),
('event_categories', 'sqlite_autoindex_event_categories_1', '1350000 2 1'),
('event_categories', 'event_categories_listing', '1350000 4500 2 1 1 1 1 1 1 1'),
('event_categories', 'event_categories_publication', '1350000 4500 1 1'),
('event_sections', 'sqlite_autoindex_event_sections_1', '2300000 3 1'),
('event_sections', 'event_sections_listing', '2300000 7600 2 1 1 1 1 1 1 1'),
('category_paths', 'sqlite_autoindex_category_paths_1', '800 3 1'),
('category_paths', 'category_paths_below', '800 3 1'),
('event_tags', 'sqlite_autoindex_event_tags_1', '2400000 3 1'),
('event_tags', 'event_tags_listing', '2400000 800 2 1 1 1 1 1 1 1'),
('event_tags', 'event_tags_publication', '2400000 800 1 1'),
('event_slots', 'event_slots_key', '50000 12000 6000 4 3 2 1'),
('category_events', 'category_events_key', '300 1'),
('tag_events', 'tag_events_key', '3000 1'),
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
('tags', 'tags_order', '3000 1 1');

COMMIT;
