package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.Sluice;
import io.sluice.testing.SteadyPorts;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/// The publishing thread's session ends, and that of the seat does not.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class BrokenSessionTest {
    private static final int KEYS = 40;

    /// Each relay has a broker of its own, so that one can lose it.
    @Test
    @DisplayName("O6: a relay whose session breaks while it cannot reach the broker is no stall")
    void whoCannotBeginAgainForWantOfABrokerGivesItsSeatUp(
            Database database, Broker broker, @TempDir Path folder) throws Exception {
        String topic = broker.topic();
        Publishing sessions = new Publishing(database);
        Map<String, String> listen = Map.of("kafka.listen", "localhost:" + SteadyPorts.next());
        Relay far;
        try (Sluice sluice = Sluice.on(folder, listen)) {
            String itsTopic = new Broker(sluice.bootstrap()).topic();
            far = Relay.start(sessions, settings(itsTopic, sluice.bootstrap()));
            until(() -> far.status().lanes().size() == 64);
        }
        try (far;
                Relay near = Relay.start(database, settings(topic, broker.bootstrap()));
                TopicReader reader = new TopicReader(broker, topic)) {
            until(() -> near.status().lanes().size() == 32);
            sessions.end();
            append(database);
            reader.await(KEYS);
            until(() -> near.status().lanes().size() == 64);
            assertThat(database.number("SELECT count(*) FROM outbox_member")).isEqualTo(1);
            assertThat(far.health().reasons()).anyMatch(reason -> reason.contains("broker"));
        }
    }

    /// Its seat's session is as good as ever.
    @Test
    void whoseSessionsFailAgainAndAgainGivesItsSeatUp(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        Publishing sessions = new Publishing(database);
        try (Relay broken = Relay.start(sessions, settings(topic, broker.bootstrap()));
                Relay near = Relay.start(database, settings(topic, broker.bootstrap()));
                TopicReader reader = new TopicReader(broker, topic)) {
            until(() -> broken.status().lanes().size() == 32);
            sessions.refuse(true);
            sessions.end();
            append(database);
            reader.await(KEYS);
            until(() -> near.status().lanes().size() == 64);
            sessions.refuse(false);
            until(() -> broken.status().lanes().size() == 32 && broken.health().up());
        }
    }

    private static RelaySettings settings(String topic, String bootstrap) {
        return RelaySettings.of(
                topic,
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "request.timeout.ms",
                        500,
                        "delivery.timeout.ms",
                        1_000,
                        "max.block.ms",
                        1_000));
    }

    private static void append(Database database) {
        OutboxEvent[] events = new OutboxEvent[KEYS];
        for (int i = 0; i < KEYS; i++) {
            events[i] = OutboxEvent.of("account-" + i, "t", "1");
        }
        database.append(events);
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }

    /// Connections of which those of the publishing thread can be ended.
    private static final class Publishing implements ConnectionSource {
        private final Database database;
        private final AtomicLong process = new AtomicLong();
        private final AtomicBoolean refusing = new AtomicBoolean();

        Publishing(Database database) {
            this.database = database;
        }

        @Override
        public Connection open() throws SQLException {
            boolean publishing = Thread.currentThread().getName().equals("outbox-publishing");
            if (publishing && refusing.get()) {
                throw new SQLException("no more connections");
            }
            Connection connection = database.open();
            if (publishing) {
                process.set(connection.unwrap(PGConnection.class).getBackendPID());
            }
            return connection;
        }

        void refuse(boolean now) {
            refusing.set(now);
        }

        void end() {
            database.number("SELECT count(pg_terminate_backend(%d))".formatted(process.get()));
        }
    }
}
