CREATE TABLE IF NOT EXISTS document (
    name        text PRIMARY KEY,
    status      text NOT NULL CHECK (status IN ('QUEUED', 'LABELLED', 'FAILED')),
    pages       int NOT NULL DEFAULT 0,
    chunks      int NOT NULL DEFAULT 0,
    reason      text,
    received_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);
CREATE TABLE IF NOT EXISTS label (
    document text NOT NULL REFERENCES document (name) ON DELETE CASCADE,
    label    text NOT NULL,
    score    double precision NOT NULL,
    PRIMARY KEY (document, label)
);
