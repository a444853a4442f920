package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Backoff;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Ids of aggregates that are longer than an entry of an index may be.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class LongAggregateTest {
    /// An index would compress what is not by chance.
    private static final String ID =
            new Random(1)
                    .ints('a', 'z' + 1)
                    .limit(4_000)
                    .collect(
                            StringBuilder::new,
                            StringBuilder::appendCodePoint,
                            StringBuilder::append)
                    .toString();

    private static final String KEY =
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'outbox_parked'::regclass AND contype = 'p'";

    @Test
    void anEventOfOneIsParkedAndComesLater(Database database, Broker broker) {
        String topic = broker.topic();
        String large = "x".repeat(20_000);
        Map<String, Object> narrow = new HashMap<>(broker.client());
        narrow.put("max.request.size", 15_000);
        Backoff quickly = new Backoff(Duration.ofMillis(50), Duration.ofMillis(200));
        database.append(
                OutboxEvent.of(ID, "t", large),
                OutboxEvent.of(ID, "t", "behind"),
                OutboxEvent.of("other", "t", "1"));
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Relay _ =
                    Relay.start(database, RelaySettings.of(topic, narrow).withParking(quickly))) {
                reader.await(1);
                assertThat(reader.byKey()).containsOnlyKeys("other");
                assertThat(
                                database.column(
                                        "SELECT state FROM outbox_parked WHERE length(aggregate_id) = 4000 ORDER BY ord"))
                        .containsExactly("FAILED", "WAITING");
            }
            try (Relay _ =
                    Relay.start(
                            database,
                            RelaySettings.of(topic, broker.client()).withParking(quickly))) {
                reader.await(3);
                assertThat(reader.byKey()).containsEntry(ID, List.of(large, "behind"));
                reader.awaitUntil(
                        () -> database.number("SELECT count(*) FROM outbox_parked") == 0,
                        "them to leave the table");
            }
        }
    }

    /// With what is parked in it, and once: a lock would have writers wait.
    @Test
    void theTableOfAnEarlierSnapshotIsConverted(Database database) throws SQLException {
        database.run(
                """
                ALTER TABLE outbox_parked DROP CONSTRAINT outbox_parked_pkey, ADD PRIMARY KEY (outbox, lane, aggregate_id, ord);
                INSERT INTO outbox_parked (outbox, lane, aggregate_id, ord, event_id, payload, state)
                VALUES ('transfer_events', 1, 'a', 1, '1', 'x', 'FAILED'), ('transfer_events', 1, 'b', 2, '2', 'x', 'FAILED')
                """);
        database.install();
        assertThat(database.column(KEY)).containsExactly("PRIMARY KEY (outbox, lane, ord)");
        assertThat(database.number("SELECT count(*) FROM outbox_parked")).isEqualTo(2);
        try (Connection relay = database.open();
                Statement using = relay.createStatement();
                Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            relay.setAutoCommit(false);
            using.execute("DELETE FROM outbox_parked");
            statement.execute("SET lock_timeout = '200ms'");
            OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
            relay.rollback();
        }
    }
}
