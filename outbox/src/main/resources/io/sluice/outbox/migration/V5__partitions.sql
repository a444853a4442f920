-- Partitions of an event table that was made with them, see OutboxSchema.installPartitioned; other tables have none here.
CREATE TABLE IF NOT EXISTS outbox_partition (
    outbox    text        NOT NULL,
    name      text        NOT NULL,
    from_ord  bigint      NOT NULL,
    to_ord    bigint      NOT NULL,
    closed_at timestamptz,                                -- no number of its range is given any more
    mark      pg_snapshot,                                -- taken a while later: who holds a number of its range is seen in it
    PRIMARY KEY (outbox, name)
);
