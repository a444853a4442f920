-- The key of a parked event is without its aggregate's id: an entry of an index has room for some 2,700 bytes, so that an event of an aggregate with a longer id could
-- not be parked, and held its lane up for ever. Its place (ord) is its own in the whole outbox. May be run again: what is as it should be is left alone, without a lock.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
               WHERE c.conrelid = 'outbox_parked'::regclass AND c.contype = 'p' AND a.attname = 'aggregate_id')
    THEN
        IF current_setting('lock_timeout') = '0' THEN
            PERFORM set_config('lock_timeout', '5s', true);
        END IF;
        ALTER TABLE outbox_parked DROP CONSTRAINT outbox_parked_pkey, ADD PRIMARY KEY (outbox, lane, ord);
    END IF;
END
$$;
