-- Optional, before the other scripts, for a large table that is written to: builds the index of log mode while writers write. Not as one
-- transaction (psql without -1): an index cannot be built concurrently in one. Changes nothing for compat mode.
CREATE OR REPLACE FUNCTION outbox_lane_of(aggregate text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (hashtextextended(aggregate, 0) & 63)::integer $$;

ALTER TABLE transfer_events ADD COLUMN IF NOT EXISTS tx xid8 NOT NULL DEFAULT pg_current_xact_id();

CREATE INDEX CONCURRENTLY IF NOT EXISTS transfer_events_lane ON transfer_events (outbox_lane_of(aggregate_id::text), tx);
