-- Beforehand, for a large table that writers are using: what V1 and V2 would otherwise build while writers wait. Changes nothing about
-- who publishes what. Not in a transaction (psql without -1): an index cannot be built concurrently in one. May be run again, and is to be
-- run again if it fails: the lock is not had within 5 s where a transaction on the table stays open.
SET lock_timeout = '5s';

-- As in V2, which changes it where it is there already.
DO $$
BEGIN
    IF to_regprocedure('outbox_lane_of(text)') IS NULL THEN
        CREATE FUNCTION outbox_lane_of(aggregate text) RETURNS integer
            LANGUAGE sql IMMUTABLE PARALLEL SAFE
            AS 'SELECT (hashtextextended(coalesce(aggregate, ''''), 0) & 63)::integer';
    END IF;
END
$$;

-- See V2. An index whose build has failed is not valid and would only cost: it goes, to be built again.
DO $$
DECLARE
    failed text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'transfer_events'::regclass AND attname = 'tx' AND NOT attisdropped) THEN
        ALTER TABLE transfer_events ADD COLUMN tx xid8 NOT NULL DEFAULT pg_current_xact_id();
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'transfer_events'::regclass AND attname = 'ord' AND NOT attisdropped) THEN
        ALTER TABLE transfer_events ADD COLUMN ord bigint;
    END IF;
    FOR failed IN SELECT indexrelid::regclass FROM pg_index
        WHERE indexrelid IN (to_regclass('transfer_events_pending'), to_regclass('transfer_events_lane')) AND NOT indisvalid
    LOOP
        EXECUTE 'DROP INDEX ' || failed;
    END LOOP;
END
$$;

-- Waits for transactions that have begun, however long they take, and nobody waits for it.
SET lock_timeout = 0;

CREATE INDEX CONCURRENTLY IF NOT EXISTS transfer_events_pending ON transfer_events ("event_id") WHERE status IN ('PENDING', 'SENDING');

CREATE INDEX CONCURRENTLY IF NOT EXISTS transfer_events_lane ON transfer_events (outbox_lane_of("aggregate_id"::text), tx);

RESET lock_timeout;
