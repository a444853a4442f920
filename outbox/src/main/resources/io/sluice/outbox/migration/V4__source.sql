-- Where the events of an outbox are read, and in which database its cursors were written. See SourceState.
CREATE TABLE IF NOT EXISTS outbox_source (
    outbox      text PRIMARY KEY,
    mode        text NOT NULL DEFAULT 'log',              -- what is wanted: compat, log, wal
    system_id   bigint,                                   -- the database cluster whose transactions the cursors know
    timeline    integer,                                  -- grows when a standby is promoted
    started_at  timestamptz,
    wal_lsn     pg_lsn,                                   -- wal mode: transactions that end up to here are published
    wal_index   bigint NOT NULL DEFAULT 0,                -- and so many events of the one that follows
    wal_seen    pg_snapshot,                              -- all that is visible in it is published ...
    wal_since   xid8[] NOT NULL DEFAULT '{}',             -- ... and these transactions too
    fallback    text                                      -- why wal mode reads the table for now
) WITH (fillfactor = 25);

INSERT INTO outbox_source (outbox) VALUES ('transfer_events') ON CONFLICT DO NOTHING;
