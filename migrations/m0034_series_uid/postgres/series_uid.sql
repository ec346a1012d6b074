-- Imports find the series that another import has brought here by its identifier.
CREATE INDEX series_uid ON series (uid) WHERE uid IS NOT NULL;
