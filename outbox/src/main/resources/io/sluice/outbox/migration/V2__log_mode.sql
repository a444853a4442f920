-- What log mode needs. No statement here rewrites the event table. On a large table under load, build the index beforehand, so that
-- this script finds it and writers do not wait for it:
--   CREATE INDEX CONCURRENTLY transfer_events_lane ON transfer_events (outbox_lane_of(aggregate_id::text), tx);
--
-- Rows that are older than this script have no ord: they stay with compat mode, and log mode waits until it has published them.

-- The lane of an aggregate: the same in every session, and what the index below is built on. 64 lanes.
CREATE OR REPLACE FUNCTION outbox_lane_of(aggregate text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (hashtextextended(aggregate, 0) & 63)::integer $$;

-- Which transaction wrote the row. Old rows get the number of this transaction, without being rewritten.
ALTER TABLE transfer_events ADD COLUMN IF NOT EXISTS tx xid8 NOT NULL DEFAULT pg_current_xact_id();

-- The order of rows that wait for each other. CACHE 1: a session that hoards numbers would give an earlier one to a later event.
CREATE SEQUENCE IF NOT EXISTS transfer_events_ord AS bigint CACHE 1;
ALTER TABLE transfer_events ADD COLUMN IF NOT EXISTS ord bigint;
ALTER TABLE transfer_events ALTER COLUMN ord SET DEFAULT nextval('transfer_events_ord');

CREATE INDEX IF NOT EXISTS transfer_events_lane ON transfer_events (outbox_lane_of(aggregate_id::text), tx);

-- A relay in compat mode that somebody forgot finds nothing to claim, and the index of pending rows stays empty.
ALTER TABLE transfer_events ALTER COLUMN status SET DEFAULT 'LOG';

-- Relay processes that are alive.
CREATE TABLE IF NOT EXISTS outbox_member (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    outbox    text        NOT NULL,
    name      text        NOT NULL,
    joined_at timestamptz NOT NULL,
    until     timestamptz NOT NULL                        -- the lease, on this database's clock
) WITH (fillfactor = 40);

-- Who reads a lane, and how far it is. See LaneCursor.
CREATE TABLE IF NOT EXISTS outbox_lane (
    outbox   text        NOT NULL,
    lane     integer     NOT NULL,
    owner    bigint,                                      -- a member's number
    epoch    bigint      NOT NULL DEFAULT 0,              -- grows with every new owner; older owners can no longer write
    seen     pg_snapshot NOT NULL,                        -- everything that is visible in it has been published
    bound    pg_snapshot,                                 -- being published: what is visible in it and not in seen
    position bigint      NOT NULL DEFAULT 0,              -- up to this ord the difference has been published
    sequence bigint      NOT NULL DEFAULT 0,              -- the last number given to an event of this lane
    PRIMARY KEY (outbox, lane)
) WITH (fillfactor = 25);

INSERT INTO outbox_lane (outbox, lane, seen)
SELECT 'transfer_events', lane, pg_current_snapshot() FROM generate_series(0, 63) AS lane
ON CONFLICT DO NOTHING;

-- Events that could not be published, and later events of the same aggregate, which wait behind them.
CREATE TABLE IF NOT EXISTS outbox_parked (
    outbox        text        NOT NULL,
    lane          integer     NOT NULL,
    aggregate_id  text        NOT NULL,
    ord           bigint      NOT NULL,
    event_id      text        NOT NULL,
    headers       text,
    payload       bytea       NOT NULL,
    state         text        NOT NULL,                   -- FAILED: refused; WAITING: behind one that was
    attempts      integer     NOT NULL DEFAULT 0,
    next_retry_at timestamptz NOT NULL DEFAULT now(),
    last_error    text,
    sequence      bigint,                                 -- given when a retry is about to be sent
    parked_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (outbox, lane, aggregate_id, ord)
);
