-- Wakes sleeping relays, and costs writers nothing while no relay sleeps: NOTIFY, which makes committing transactions of the whole
-- database wait for each other, is only used when the shared lock cannot be had, and that is when a relay sleeps.
-- Lock and channel carry the number of the table of members, as in Members.java.
-- The ring names the lanes that have something new (as outbox_lane_of, which the writer's search path may not find), so that it wakes only those who
-- own them.
CREATE OR REPLACE FUNCTION outbox_ring() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    bell integer := (quote_ident(TG_TABLE_SCHEMA) || '.outbox_member')::regclass::oid::integer;
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(bell, 0) THEN
        EXECUTE format('SELECT pg_notify($1, ''events '' || string_agg(DISTINCT (hashtextextended(%I::text, 0) & 63)::text, '' '')) FROM fresh HAVING count(*) > 0', TG_ARGV[0])
        USING 'outbox_' || bell;
    END IF;
    RETURN NULL;
END
$$;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_trigger
                   WHERE tgrelid = 'transfer_events'::regclass AND tgname = 'outbox_ring' AND tgnargs = 1) THEN
        DROP TRIGGER IF EXISTS outbox_ring ON transfer_events;
        CREATE TRIGGER outbox_ring AFTER INSERT ON transfer_events REFERENCING NEW TABLE AS fresh
            FOR EACH STATEMENT EXECUTE FUNCTION outbox_ring('aggregate_id');
    END IF;
END
$$;
