-- A new event table in partitions. Not part of the sequence of scripts: it has to be there before the first of them.
CREATE SEQUENCE IF NOT EXISTS transfer_events_ord AS bigint CACHE 1;
CREATE SEQUENCE IF NOT EXISTS transfer_events_id AS bigint;
CREATE TABLE IF NOT EXISTS transfer_events (
    "event_id"     bigint     NOT NULL DEFAULT nextval('transfer_events_id'),
    "aggregate_id" text       NOT NULL,
    "payload"      text       NOT NULL,
    "headers"      text,
    status        text        NOT NULL DEFAULT 'LOG',
    attempts      integer     NOT NULL DEFAULT 0,
    next_retry_at timestamptz NOT NULL DEFAULT now(),
    last_error    text,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(), -- now() would be when the transaction began
    updated_at    timestamptz NOT NULL DEFAULT now(),
    tx            xid8        NOT NULL DEFAULT pg_current_xact_id(),
    ord           bigint      NOT NULL DEFAULT nextval('transfer_events_ord')
) PARTITION BY RANGE (ord);
