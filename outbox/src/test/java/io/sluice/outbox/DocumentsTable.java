package io.sluice.outbox;

/// The document's table, as its writers fill it: no column, table or lock table of ours.
final class DocumentsTable {
    private DocumentsTable() {}

    static void create(Database database) {
        database.run(
                """
                DROP TABLE transfer_events, outbox_lane, outbox_member, outbox_parked;
                CREATE TABLE transfer_events (event_id bigserial PRIMARY KEY, aggregate_id varchar(64) NOT NULL,
                  payload jsonb NOT NULL, headers jsonb, status varchar(20) NOT NULL DEFAULT 'PENDING',
                  next_retry_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now())
                """);
    }

    static void insert(Database database, int count) {
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i %% 3, to_jsonb(i) FROM generate_series(1, %d) i"
                        .formatted(count));
    }

    static long count(Database database, String status) {
        return database.number(
                "SELECT count(*) FROM transfer_events WHERE status = '%s'".formatted(status));
    }
}
