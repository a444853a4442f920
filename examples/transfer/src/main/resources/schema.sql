CREATE TABLE IF NOT EXISTS account (id text PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0));
CREATE TABLE IF NOT EXISTS transfer (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    from_account text        NOT NULL REFERENCES account,
    to_account   text        NOT NULL REFERENCES account,
    amount       bigint      NOT NULL CHECK (amount > 0),
    at           timestamptz NOT NULL DEFAULT now()
);
-- Fraud detection's own tables: in production in another database.
CREATE TABLE IF NOT EXISTS alert (transfer bigint, account text NOT NULL, reason text, PRIMARY KEY (transfer, reason));
CREATE TABLE IF NOT EXISTS unreadable (partition int, position bigint, value text, reason text NOT NULL, PRIMARY KEY (partition, position));
INSERT INTO account SELECT 'account-' || i, 100000000 FROM generate_series(0, 49) i ON CONFLICT DO NOTHING;
