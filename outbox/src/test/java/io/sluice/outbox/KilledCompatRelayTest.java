package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.Postgres;
import io.sluice.outbox.compat.CompatRelay;
import io.sluice.testing.SteadyPorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The document's relay as processes that are killed and frozen with a batch in their hands. The lease is forty minutes: whoever goes on has been told by the
/// dead one's lock, not by the clock.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(180)
@Order(1)
class KilledCompatRelayTest {
    private static final int EVENTS = 20_000;
    private static final Duration PATIENT = Duration.ofMinutes(10);
    private static final Duration QUICK = Duration.ofSeconds(1);

    @Test
    @DisplayName(
            "O2, O5, O6: the parts and the claimed events of a killed instance have a new owner at once")
    void killedInTheMiddleOfABatch(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        try (TopicReader reader = new TopicReader(broker, topic);
                RelayProcess killed = RelayProcess.compat(database, broker, topic, 0, 2, PATIENT);
                RelayProcess other = RelayProcess.compat(database, broker, topic, 1, 2, PATIENT)) {
            DocumentsTable.insert(database, 100);
            killed.awaitLine(CompatProcess.STARTED);
            other.awaitLine(CompatProcess.STARTED);
            DocumentsTable.insert(database, EVENTS);
            holdBatch(database, killed, reader, 0);
            killed.kill();
            awaitAllPublished(database, reader);
            assertThat(other.isAlive()).isTrue();
        }
    }

    /// It wakes up with records in its buffers and marks that are no longer its own.
    @Test
    @DisplayName(
            "O2, O5, O6: an instance that is frozen with a batch in its hands loses nothing when it wakes up")
    void frozenInTheMiddleOfABatch(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        try (TopicReader reader = new TopicReader(broker, topic);
                RelayProcess frozen = RelayProcess.compat(database, broker, topic, 0, 2, QUICK);
                RelayProcess other = RelayProcess.compat(database, broker, topic, 1, 2, QUICK)) {
            DocumentsTable.insert(database, 100);
            frozen.awaitLine(CompatProcess.STARTED);
            other.awaitLine(CompatProcess.STARTED);
            DocumentsTable.insert(database, EVENTS);
            holdBatch(database, frozen, reader, 0);
            frozen.freeze();
            awaitAllPublished(database, reader);
            frozen.thaw();
            DocumentsTable.insert(database, 100);
            awaitAllPublished(database, reader);
            assertThat(frozen.isAlive() && other.isAlive()).isTrue();
        }
    }

    /// What it had claimed is in parts of another total now.
    @Test
    @DisplayName(
            "O2, O5, O6: the last instance with the old total is killed with a batch in its hands, and one with the new total goes on")
    void theLastWithTheOldTotalIsKilled(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        try (TopicReader reader = new TopicReader(broker, topic);
                RelayProcess killed = RelayProcess.compat(database, broker, topic, 0, 1, PATIENT)) {
            DocumentsTable.insert(database, 100);
            killed.awaitLine(CompatProcess.STARTED);
            try (CompatRelay changed =
                    CompatRelays.start(database, broker, topic, 1, 2, Map.of(), Map.of())) {
                reader.awaitUntil(
                        () -> String.valueOf(changed.trouble()).contains("those with 1 go on"),
                        "it to wait");
                DocumentsTable.insert(database, EVENTS);
                holdBatch(database, killed, reader, 0);
                assertThat(changed.published()).isZero();
                killed.kill();
                awaitAllPublished(database, reader);
                assertThat(changed.published()).isPositive();
                assertThat(changed.trouble()).isNull();
            }
        }
    }

    @Test
    @DisplayName("O6: the database falls while instances have batches in their hands")
    void theDatabaseFalls(Broker broker, @TempDir Path folder) throws Exception {
        String topic = broker.topic();
        int port = SteadyPorts.next();
        Postgres.Server server = Postgres.Server.on(folder, port);
        try {
            Database database = FallenDatabaseTest.installed(server);
            DocumentsTable.create(database);
            try (TopicReader reader = new TopicReader(broker, topic);
                    RelayProcess one = RelayProcess.compat(database, broker, topic, 0, 2, PATIENT);
                    RelayProcess two =
                            RelayProcess.compat(database, broker, topic, 1, 2, PATIENT)) {
                DocumentsTable.insert(database, 100);
                one.awaitLine(CompatProcess.STARTED);
                two.awaitLine(CompatProcess.STARTED);
                DocumentsTable.insert(database, EVENTS);
                reader.await(100 + EVENTS / 10);
                FallenDatabaseTest.fall(folder, server);
                server = Postgres.Server.on(folder, port);
                awaitAllPublished(database, reader);
                assertThat(one.isAlive() && two.isAlive()).isTrue();
            }
        } finally {
            server.close();
        }
    }

    /// Stops it for moments until it is caught with a batch that it has claimed and not marked yet.
    private static void holdBatch(
            Database database, RelayProcess relay, TopicReader reader, int part) {
        String held =
                "SELECT count(*) FROM transfer_events WHERE status = 'SENDING' AND MOD(event_id, 2) = %d"
                        .formatted(part);
        reader.awaitUntil(
                () -> {
                    relay.freeze();
                    boolean isHeld = database.number(held) > 0;
                    if (!isHeld) {
                        relay.thaw();
                    }
                    return isHeld;
                },
                "the relay to be in the middle of a batch");
    }

    private static void awaitAllPublished(Database database, TopicReader reader) {
        reader.awaitUntil(
                () ->
                        database.number(
                                        "SELECT count(*) FROM transfer_events WHERE status <> 'PUBLISHED'")
                                == 0,
                "all to be marked");
        long expected = database.number("SELECT count(*) FROM transfer_events");
        reader.awaitUntil(
                () ->
                        reader.records().stream()
                                        .map(
                                                record ->
                                                        TopicReader.header(
                                                                record, "outbox-event-id"))
                                        .distinct()
                                        .count()
                                == expected,
                "every event to arrive");
    }
}
