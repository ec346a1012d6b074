-- Imports find the series that another import has brought here by its identifier.
CREATE INDEX series_uid ON series (uid) WHERE uid IS NOT NULL;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('series', 'series_uid', '20000 1');
ANALYZE sqlite_schema;
