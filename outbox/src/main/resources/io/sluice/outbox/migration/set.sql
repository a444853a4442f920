-- What set mode needs, for MySQL 8 and MariaDB 10.6 or newer. Safe to run again. Names in quotes: see V1__transfer_events.sql.
-- The database's own character set may lack letters, and its collation takes 'A' for 'a': those are two aggregates.
CREATE TABLE IF NOT EXISTS transfer_events (
    `event_id`     bigint      NOT NULL AUTO_INCREMENT PRIMARY KEY,
    `aggregate_id` varchar(255) NOT NULL,
    `payload`      longtext    NOT NULL,
    `headers`      text,
    created_at    timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    lane          int          GENERATED ALWAYS AS (CRC32(`aggregate_id`) & 63) STORED,
    INDEX transfer_events_lane (lane, `event_id`)
) ENGINE = InnoDB DEFAULT CHARACTER SET = utf8mb4 COLLATE = utf8mb4_bin;

-- Relay processes that are alive.
CREATE TABLE IF NOT EXISTS outbox_set_member (
    number     bigint       NOT NULL AUTO_INCREMENT PRIMARY KEY,
    outbox     varchar(64)  NOT NULL,
    name       varchar(255) NOT NULL,
    expires_at datetime(6)  NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET = utf8mb4 COLLATE = utf8mb4_bin;

-- Who reads a lane, the last number given to an event of it, and what is being sent.
CREATE TABLE IF NOT EXISTS outbox_set_lane (
    outbox   varchar(64) NOT NULL,
    lane     int         NOT NULL,
    owner    bigint,
    epoch    bigint      NOT NULL DEFAULT 0,
    sequence bigint      NOT NULL DEFAULT 0,
    sending  mediumtext,
    PRIMARY KEY (outbox, lane)
) ENGINE = InnoDB DEFAULT CHARACTER SET = utf8mb4 COLLATE = utf8mb4_bin;

-- Numbers begin with the time, in microseconds: those of lanes that are made anew are higher than what was given before, or consumers
-- would take new events for repetitions.
INSERT IGNORE INTO outbox_set_lane (outbox, lane, sequence)
WITH RECURSIVE lanes AS (SELECT 0 AS lane UNION ALL SELECT lane + 1 FROM lanes WHERE lane < 63)
SELECT 'transfer_events', lane, CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS UNSIGNED) FROM lanes;

-- Aggregates of which an event was refused. The event, and those behind it, stay in the table. Their ids are UTF-8 in bytes: every collation
-- that both databases have takes 'a ' for 'a'.
CREATE TABLE IF NOT EXISTS outbox_set_parked (
    outbox        varchar(64)     NOT NULL,
    aggregate_id  varbinary(1020) NOT NULL,
    attempts      int             NOT NULL,
    next_retry_at datetime(6)     NOT NULL,
    last_error    text,
    PRIMARY KEY (outbox, aggregate_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET = utf8mb4 COLLATE = utf8mb4_bin;
