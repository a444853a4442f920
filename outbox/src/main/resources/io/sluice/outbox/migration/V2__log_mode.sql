-- What log mode needs. May be run again in every mode, in one transaction or statement by statement: what is as it should be is left
-- alone, without a lock. Nothing here rewrites the event table. On a large table under load run prepare.sql beforehand: it builds the
-- index while writers go on; this script would keep them waiting meanwhile.
--
-- Rows that are older than this script have no ord: they stay with compat mode, and log mode waits until it has published them.

-- The lane of an aggregate: the same in every session, and what the index below is built on. 64 lanes. Events without an aggregate have
-- the lane of the one whose id is empty.
--
-- An earlier version gave them none: indices that were built with it do not find them, and open sessions remember what it said unless
-- something happens to the index.
DO $$
DECLARE
    made regclass;
BEGIN
    -- Writers queue behind whoever waits for the table's lock: rather give up.
    IF current_setting('lock_timeout') = '0' THEN
        PERFORM set_config('lock_timeout', '5s', true);
    END IF;
    IF to_regprocedure('outbox_lane_of(text)') IS NULL
        OR EXISTS (SELECT FROM pg_proc WHERE oid = to_regprocedure('outbox_lane_of(text)') AND prosrc NOT LIKE '%coalesce%')
    THEN
        CREATE OR REPLACE FUNCTION outbox_lane_of(aggregate text) RETURNS integer
            LANGUAGE sql IMMUTABLE PARALLEL SAFE
            AS 'SELECT (hashtextextended(coalesce(aggregate, ''''), 0) & 63)::integer';
        FOR made IN
            SELECT c.oid FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'i'
            WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_proc'::regclass AND d.refobjid = 'outbox_lane_of(text)'::regprocedure
        LOOP
            IF EXISTS (SELECT FROM pg_depend d JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
                       WHERE d.classid = 'pg_class'::regclass AND d.objid = made AND d.refclassid = 'pg_class'::regclass AND NOT a.attnotnull)
            THEN
                EXECUTE format('REINDEX INDEX %s', made);
            ELSE
                EXECUTE format('ALTER INDEX %s RESET (fillfactor)', made);
            END IF;
        END LOOP;
    END IF;
END
$$;

-- A row of log mode's stays one, though its writer says PENDING, as an entity does that names all columns whenever it is written.
-- Otherwise a relay in compat mode that somebody forgot would publish it as well.
CREATE OR REPLACE FUNCTION outbox_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.status := 'LOG';
    ELSIF OLD.status = 'LOG' THEN
        NEW.status := OLD.status;
    END IF;
    RETURN NEW;
END
$$;

-- Whose the rows are that will be written: log mode's ('LOG') or compat mode's ('PENDING').
CREATE OR REPLACE FUNCTION outbox_new_rows(events regclass, belong_to text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ALTER COLUMN status SET DEFAULT %L', events, belong_to);
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = events AND tgname = 'outbox_status') THEN
        EXECUTE format('DROP TRIGGER outbox_status ON %s', events);
    END IF;
    IF belong_to = 'LOG' THEN
        EXECUTE format('CREATE TRIGGER outbox_status BEFORE INSERT OR UPDATE OF status ON %s FOR EACH ROW '
            'WHEN (NEW.status = ''PENDING'') EXECUTE FUNCTION outbox_status()', events);
    END IF;
END
$$;

-- The order of rows that wait for each other. CACHE 1: a session that hoards numbers would give an earlier one to a later event.
CREATE SEQUENCE IF NOT EXISTS transfer_events_ord AS bigint CACHE 1;

-- A default is computed with the rights of whoever inserts: all who may write into the table, for whom that was enough so far, may draw
-- its numbers. Those who are allowed to write later need this as well: run the script again, or GRANT it.
DO $$
DECLARE
    events CONSTANT regclass := 'transfer_events'::regclass;
    numbers regclass;
    writer name;
BEGIN
    FOR writer IN
        SELECT DISTINCT CASE rights.grantee WHEN 0 THEN 'public' ELSE pg_get_userbyid(rights.grantee) END
        FROM (
            SELECT granted.* FROM pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS granted WHERE c.oid = events
            UNION ALL
            SELECT granted.* FROM pg_attribute a, aclexplode(a.attacl) AS granted WHERE a.attrelid = events
        ) rights WHERE rights.privilege_type = 'INSERT'
    LOOP
        FOR numbers IN
            SELECT oid FROM pg_class WHERE oid IN (to_regclass('transfer_events_ord'), to_regclass('transfer_events_id')) AND relkind = 'S'
        LOOP
            IF NOT has_sequence_privilege(writer, numbers, 'USAGE') THEN
                EXECUTE format('GRANT USAGE ON SEQUENCE %s TO %s', numbers, CASE writer WHEN 'public' THEN 'PUBLIC' ELSE quote_ident(writer) END);
            END IF;
        END LOOP;
        -- The index asks for it. Usually everybody may, unless default privileges say otherwise.
        IF NOT has_function_privilege(writer, 'outbox_lane_of(text)', 'EXECUTE') THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION outbox_lane_of(text) TO %s', CASE writer WHEN 'public' THEN 'PUBLIC' ELSE quote_ident(writer) END);
        END IF;
    END LOOP;
END
$$;

DO $$
BEGIN
    -- Writers queue behind whoever waits for the table's lock: rather give up.
    IF current_setting('lock_timeout') = '0' THEN
        PERFORM set_config('lock_timeout', '5s', true);
    END IF;
    -- Which transaction wrote the row. Old rows get the number of this transaction, without being rewritten.
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'transfer_events'::regclass AND attname = 'tx' AND NOT attisdropped) THEN
        ALTER TABLE transfer_events ADD COLUMN tx xid8 NOT NULL DEFAULT pg_current_xact_id();
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'transfer_events'::regclass AND attname = 'ord' AND NOT attisdropped) THEN
        ALTER TABLE transfer_events ADD COLUMN ord bigint;
    END IF;
    IF to_regclass('transfer_events_lane') IS NULL THEN
        CREATE INDEX transfer_events_lane ON transfer_events (outbox_lane_of("aggregate_id"::text), tx);
    ELSIF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('transfer_events_lane') AND NOT indisvalid) THEN
        RAISE EXCEPTION 'index transfer_events_lane is not valid: it is being built, or that has failed. Run prepare.sql (again)';
    END IF;
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

-- From compat mode to log mode, in one statement: a row that is written between the new default and the lanes' snapshots would be
-- nobody's. Only once: later, the default is what `outbox mode` has made it.
DO $$
DECLARE
    events CONSTANT regclass := 'transfer_events'::regclass;
    wanted text := 'log';
BEGIN
    IF current_setting('lock_timeout') = '0' THEN
        PERFORM set_config('lock_timeout', '5s', true);
    END IF;
    IF to_regclass('outbox_source') IS NOT NULL THEN
        SELECT coalesce(max(mode), wanted) INTO wanted FROM outbox_source WHERE outbox = 'transfer_events';
    END IF;
    IF NOT (SELECT atthasdef FROM pg_attribute WHERE attrelid = events AND attname = 'ord') THEN
        IF current_setting('transaction_isolation') <> 'read committed' THEN
            RAISE EXCEPTION 'the lanes would begin where this transaction began, not where it got the lock of transfer_events: run it in read committed, not in %',
                current_setting('transaction_isolation');
        END IF;
        LOCK TABLE transfer_events IN ACCESS EXCLUSIVE MODE;
        ALTER TABLE transfer_events ALTER COLUMN ord SET DEFAULT nextval('transfer_events_ord');
        PERFORM outbox_new_rows(events, CASE wanted WHEN 'compat' THEN 'PENDING' ELSE 'LOG' END);
    ELSIF wanted <> 'compat' AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = events AND tgname = 'outbox_status') THEN
        PERFORM outbox_new_rows(events, 'LOG');
    END IF;
    -- Numbers begin with the time, in microseconds: those of lanes that are made anew are higher than what was given before. Otherwise
    -- consumers, and exactly-once, would take new events for repetitions of those with the same numbers, and drop them.
    INSERT INTO outbox_lane (outbox, lane, seen, sequence)
    SELECT 'transfer_events', lane, pg_current_snapshot(), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM generate_series(0, 63) AS lane
    ON CONFLICT DO NOTHING;
END
$$;

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
