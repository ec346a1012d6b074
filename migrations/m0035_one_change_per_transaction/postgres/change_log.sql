-- A transaction adds one row to `change_log` for all of its changes, instead of one for each: readers only ask whether a
-- transaction has changed anything. The setting is local to the transaction, and a rollback to a savepoint restores it
-- together with the rows.
CREATE OR REPLACE FUNCTION log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('almanac.change_logged_by', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
        INSERT INTO change_log (event_id) VALUES (NULL);
        PERFORM set_config('almanac.change_logged_by', pg_current_xact_id()::text, true);
    END IF;
    RETURN NULL;
END $$;
