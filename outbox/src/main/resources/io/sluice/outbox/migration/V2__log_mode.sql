-- What log mode needs. No statement here rewrites the event table, and none makes writers wait if there is nothing to do. On a large table under
-- load, run prepare.sql beforehand: it builds the index while writers write.
--
-- Rows that are older than this script stay with compat mode, and log mode waits until it has published them.

-- The lane of an aggregate: the same in every session, and what the index below is built on. 64 lanes.
CREATE OR REPLACE FUNCTION outbox_lane_of(aggregate text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (hashtextextended(aggregate, 0) & 63)::integer $$;

-- The order of rows that wait for each other. CACHE 1: a session that hoards numbers would give an earlier one to a later event.
CREATE SEQUENCE IF NOT EXISTS transfer_events_ord AS bigint CACHE 1;

DO $$
BEGIN
    -- Which transaction wrote the row. Old rows get the number of this transaction, without being rewritten.
    IF NOT EXISTS (SELECT FROM pg_attribute
                   WHERE attrelid = 'transfer_events'::regclass AND attname = 'tx' AND NOT attisdropped) THEN
        ALTER TABLE transfer_events ADD COLUMN tx xid8 NOT NULL DEFAULT pg_current_xact_id();
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute
                   WHERE attrelid = 'transfer_events'::regclass AND attname = 'ord' AND atthasdef AND NOT attisdropped) THEN
        ALTER TABLE transfer_events ADD COLUMN IF NOT EXISTS ord bigint;
        ALTER TABLE transfer_events ALTER COLUMN ord SET DEFAULT nextval('transfer_events_ord');
    END IF;
    IF NOT EXISTS (SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                   WHERE i.indrelid = 'transfer_events'::regclass AND c.relname = 'transfer_events_lane' AND i.indisvalid) THEN
        CREATE INDEX transfer_events_lane ON transfer_events (outbox_lane_of(aggregate_id::text), tx);
    END IF;
END
$$;

-- Writers may say that a row is PENDING, as those of the document do. In log mode it is nobody's to claim.
CREATE OR REPLACE FUNCTION outbox_row_of_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.status := 'LOG';
    RETURN NEW;
END
$$;

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

-- From one moment on new rows are log mode's: in one statement, so that there is no row that is neither compat's nor comes after what the lanes have
-- seen, also when these scripts are run one statement at a time. Not when somebody has gone back to compat mode.
DO $$
BEGIN
    IF to_regclass('outbox_source') IS NOT NULL THEN
        IF EXISTS (SELECT FROM outbox_source WHERE outbox = 'transfer_events' AND mode = 'compat') THEN
            RETURN;
        END IF;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_trigger
                   WHERE tgrelid = 'transfer_events'::regclass AND tgname = 'outbox_row_of_log') THEN
        -- A relay in compat mode that somebody forgot finds nothing to claim, and the index of pending rows stays empty.
        ALTER TABLE transfer_events ALTER COLUMN status SET DEFAULT 'LOG';
        CREATE TRIGGER outbox_row_of_log BEFORE INSERT ON transfer_events
            FOR EACH ROW WHEN (NEW.status = 'PENDING') EXECUTE FUNCTION outbox_row_of_log();
    END IF;
    INSERT INTO outbox_lane (outbox, lane, seen)
    SELECT 'transfer_events', lane, pg_current_snapshot() FROM generate_series(0, 63) AS lane
    ON CONFLICT DO NOTHING;
END
$$;
