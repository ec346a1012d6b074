-- Cheaper writes on SQLite, part 2 of 2: merges of the full-text indexes.

-- FTS5 stores the words of each write as a segment. A write that finds as many segments as `crisismerge` on a level merges
-- them all, while its client waits: for seconds if the segment of a bulk load is among them. So the limit is high, and
-- the server merges segments in small steps. An index has at most 2,000 segments, hence no more than this on a level.
INSERT INTO event_search (event_search, rank) VALUES ('crisismerge', 500);
INSERT INTO venue_search (venue_search, rank) VALUES ('crisismerge', 500);
INSERT INTO organizer_search (organizer_search, rank) VALUES ('crisismerge', 500);
