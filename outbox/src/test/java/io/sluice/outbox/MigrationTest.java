package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import io.sluice.outbox.operating.Migration;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// From the document's relay to log mode and back, while everything runs.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class MigrationTest {
    @Test
    @DisplayName(
            "O5: compat → log → compat → log, nothing lost, each event published by one of the two")
    void thereAndBack(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        migration.toCompat(Duration.ofSeconds(10));
        CompatSettings compat =
                CompatSettings.of(Map.of(), Map.of("app.outbox.relay.fixedDelayMs", "20"));
        try (CompatRelay old =
                        CompatRelay.start(
                                database,
                                OutboxTable.TRANSFER_EVENTS,
                                topic,
                                broker.client(),
                                compat);
                Relay relay = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            database.append(OutboxEvent.of("a", "t", "1"));
            reader.await(1);
            assertThat(relay.health().up()).isTrue();

            migration.toLog();
            database.append(OutboxEvent.of("a", "t", "2"));
            reader.await(2);

            migration.toCompat(Duration.ofSeconds(30));
            database.append(OutboxEvent.of("a", "t", "3"));
            reader.await(3);

            migration.toLog();
            database.append(OutboxEvent.of("a", "t", "4"));
            reader.await(4).linger(Duration.ofMillis(300));
            assertThat(reader.byKey().get("a")).containsExactly("1", "2", "3", "4");
            assertThat(old.published()).isEqualTo(2);
            assertThat(relay.status().published()).isEqualTo(2);
        }
    }

    /// Only a relay can say in the table how far the log was published; without one, everything would be published again.
    @Test
    void thereIsNoWayFromTheLogToCompatWithoutARelay(Database database) {
        database.append(OutboxEvent.of("a", "t", "1"));
        database.run(
                "UPDATE outbox_source SET mode = 'wal', wal_lsn = pg_current_wal_lsn(), wal_seen = pg_current_snapshot()");
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        assertThatThrownBy(() -> migration.toCompat(Duration.ofMillis(100)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("start one");
        assertThat(database.column("SELECT DISTINCT status FROM transfer_events"))
                .containsExactly("LOG");
        assertThat(database.column("SELECT mode FROM outbox_source")).containsExactly("log");
    }

    /// Whatever stands in the way: a lock that somebody holds for long, a connection that is lost.
    @Test
    @DisplayName("O5: a way to compat mode that cannot be gone to its end leads back to log mode")
    void aFailedWayToCompatLeadsBack(Database database, Broker broker) throws Exception {
        database.append(OutboxEvent.of("a", "t", "1"));
        database.run("ALTER TABLE outbox_parked RENAME TO away");
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        assertThatThrownBy(() -> migration.toCompat(Duration.ofSeconds(10)))
                .hasMessageContaining("outbox_parked");
        assertThat(database.column("SELECT mode FROM outbox_source")).containsExactly("log");
        database.run("ALTER TABLE away RENAME TO outbox_parked");
        assertLogModePublishes(database, broker, "1");
    }

    /// It said what it wants, and was killed before anything had become compat's.
    @Test
    @DisplayName(
            "O5: whoever is killed on the way to compat mode leaves nothing behind that is lost")
    void aWayToCompatThatNobodyFinishedLosesNothing(Database database, Broker broker)
            throws Exception {
        database.append(OutboxEvent.of("a", "t", "1"));
        database.run("UPDATE outbox_source SET mode = 'compat'");
        database.append(OutboxEvent.of("a", "t", "2"));
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toLog();
        assertLogModePublishes(database, broker, "1", "2");
    }

    private static void assertLogModePublishes(
            Database database, Broker broker, String... payloads) {
        String topic = broker.topic();
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            assertThat(reader.await(payloads.length).byKey().get("a")).containsExactly(payloads);
        }
    }

    /// The relay runs all the time: it has seen compat mode, and not that its rows are published.
    @Test
    @DisplayName(
            "O5: log mode waits for all that compat mode has not published, of rows with a place in its own order, too")
    void logModeWaitsForWhatIsPending(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        try (Relay relay = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> relay.status().lanes().size() == 64, "it to have lanes");
            migration.toCompat(Duration.ofSeconds(30));
            database.append(OutboxEvent.of("a", "t", "1"), OutboxEvent.of("a", "t", "2"));
            migration.toLog();
            database.append(OutboxEvent.of("a", "t", "3"));
            reader.awaitUntil(
                    () -> String.valueOf(relay.status().trouble()).contains("from before log mode"),
                    "it to say what it waits for");
            assertThat(reader.records()).isEmpty();
            CompatSettings compat =
                    CompatSettings.of(Map.of(), Map.of("app.outbox.relay.fixedDelayMs", "20"));
            try (CompatRelay _ =
                    CompatRelay.start(
                            database,
                            OutboxTable.TRANSFER_EVENTS,
                            topic,
                            broker.client(),
                            compat)) {
                reader.await(3);
            }
            assertThat(reader.byKey().get("a")).containsExactly("1", "2", "3");
            assertThat(relay.health().up()).isTrue();
        }
    }

    /// As the document's entities do. In log mode nobody claims such rows; in compat mode somebody does.
    @Test
    @DisplayName("O5: writers that name the status are in the right mode, too")
    void aWritersOwnStatusIsThatOfTheMode(Database database, Broker broker) throws Exception {
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        writePending(database, "1");
        assertThat(database.column("SELECT status FROM transfer_events")).containsExactly("LOG");
        assertLogModePublishes(database, broker, "1");
        migration.toCompat(Duration.ofSeconds(10));
        writePending(database, "2");
        assertThat(database.column("SELECT status FROM transfer_events ORDER BY event_id"))
                .as("what is published stays so")
                .containsExactly("LOG", "PENDING");
        migration.toLog();
        writePending(database, "3");
        assertThat(database.column("SELECT status FROM transfer_events ORDER BY event_id"))
                .containsExactly("LOG", "PENDING", "LOG");
    }

    private static void writePending(Database database, String payload) {
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload, status) VALUES ('a', '%s', 'PENDING')"
                        .formatted(payload));
    }

    /// A service runs the scripts at every start.
    @Test
    void theScriptsDoNotLeaveCompatMode(Database database) throws Exception {
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toCompat(Duration.ofSeconds(10));
        database.install();
        database.append(OutboxEvent.of("a", "t", "1"));
        assertThat(database.column("SELECT status FROM transfer_events"))
                .containsExactly("PENDING");
    }

    /// What log mode could not publish becomes the document's relay's, with the rest.
    @Test
    void whatIsNotPublishedBecomesPending(Database database) throws Exception {
        database.append(OutboxEvent.of("a", "t", "1"), OutboxEvent.of("b", "t", "2"));
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toCompat(Duration.ofSeconds(10));
        assertThat(database.column("SELECT DISTINCT status FROM transfer_events"))
                .containsExactly("PENDING");
    }
}
