package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.fixtures.Postgres;
import io.sluice.testing.SteadyPorts;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Two-phase commit, as docs/outbox.md says.
@ExtendWith(Broker.Extension.class)
@Timeout(120)
class PreparedTransactionTest {
    @Test
    void withoutTheDoorbellEventsOfAPreparedTransactionCome(Broker broker, @TempDir Path folder)
            throws Exception {
        int port = SteadyPorts.next();
        try (Postgres.Server first = Postgres.Server.on(folder, port)) {
            new Postgres(first.url()).run("ALTER SYSTEM SET max_prepared_transactions = 10");
        }
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        try (Postgres.Server server = Postgres.Server.on(folder, port);
                TopicReader reader = new TopicReader(broker, topic)) {
            Database database = new Database(server.url()).install();
            try (Relay _ = Relay.start(database, settings)) {
                // Whoever sleeps holds the bell's lock, and is rung.
                while (database.number(
                                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND objid = 0")
                        == 0) {
                    Thread.sleep(20);
                }
                assertThatThrownBy(() -> prepare(database, "1"))
                        .hasMessageContaining("LISTEN, UNLISTEN, or NOTIFY");
            }
            database.run("ALTER TABLE transfer_events DISABLE TRIGGER outbox_ring");
            database.install();
            try (Relay _ = Relay.start(database, settings)) {
                prepare(database, "2");
                reader.linger(Duration.ofSeconds(1));
                assertThat(reader.records()).isEmpty();
                database.run("COMMIT PREPARED 'transfer'");
                reader.await(1);
                assertThat(reader.byKey().get("a")).containsExactly("2");
            }
        }
    }

    private static void prepare(Database database, String payload) throws SQLException {
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS)
                    .append(connection, OutboxEvent.of("a", "t", payload));
            statement.execute("PREPARE TRANSACTION 'transfer'");
            connection.commit();
        }
    }
}
