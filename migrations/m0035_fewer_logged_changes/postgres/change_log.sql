-- A transaction adds one row per second to `change_log` for all of its changes, instead of one for each change. Readers ask
-- whether a transaction has changed anything, and when that was: `changed_at` of the last row must not be long before the
-- commit. The setting is local to the transaction, and a rollback to a savepoint restores it together with the rows.
CREATE OR REPLACE FUNCTION log_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    now_logged text := pg_current_xact_id()::text || ' ' || floor(extract(epoch FROM clock_timestamp()))::text;
BEGIN
    IF current_setting('almanac.change_logged', true) IS DISTINCT FROM now_logged THEN
        INSERT INTO change_log (event_id) VALUES (NULL);
        PERFORM set_config('almanac.change_logged', now_logged, true);
    END IF;
    RETURN NULL;
END $$;
