-- Wakes sleeping relays, and costs writers nothing while no relay sleeps: NOTIFY, which makes committing transactions of the whole
-- database wait for each other, is only used when the shared lock cannot be had, and that is when a relay sleeps.
-- Lock and channel carry the number of the table of members, as in Members.java.
CREATE OR REPLACE FUNCTION outbox_ring() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    bell integer := (quote_ident(TG_TABLE_SCHEMA) || '.outbox_member')::regclass::oid::integer;
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(bell, 0) THEN
        PERFORM pg_notify('outbox_' || bell, 'events');
    END IF;
    RETURN NULL;
END
$$;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'transfer_events'::regclass AND tgname = 'outbox_ring') THEN
        IF current_setting('lock_timeout') = '0' THEN
            PERFORM set_config('lock_timeout', '5s', true);
        END IF;
        CREATE TRIGGER outbox_ring AFTER INSERT ON transfer_events FOR EACH STATEMENT EXECUTE FUNCTION outbox_ring();
    END IF;
END
$$;
