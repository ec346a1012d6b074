-- Indexes of lists on PostgreSQL.

-- Servers of the previous release may be writing. Their transactions lock the rows of events first.
LOCK TABLE event_venues, event_organizers, event_categories IN ACCESS EXCLUSIVE MODE;

-- Lists of venues and organizers also compare the ends of scheduled events.
DROP INDEX event_venues_publication;
CREATE INDEX event_venues_publication ON event_venues (published_at, target_id, ends_at);
DROP INDEX event_organizers_publication;
CREATE INDEX event_organizers_publication ON event_organizers (published_at, target_id, ends_at);

-- Lists of the events of a category read `event_category_closure`.
DROP INDEX event_categories_listing;
