-- Where each relay publishes to, and with which guarantee, so that relays that disagree notice each other. A relay of an earlier version tells neither.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'outbox_member'::regclass AND attname = 'guarantee' AND NOT attisdropped) THEN
        IF current_setting('lock_timeout') = '0' THEN
            PERFORM set_config('lock_timeout', '5s', true);
        END IF;
        ALTER TABLE outbox_member ADD COLUMN topic text, ADD COLUMN guarantee text;
    END IF;
END
$$;
