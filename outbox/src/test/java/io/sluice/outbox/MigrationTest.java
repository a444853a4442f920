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

    /// What log mode could not publish becomes the document's relay's, with the rest.
    @Test
    void whatIsNotPublishedBecomesPending(Database database) throws Exception {
        database.append(OutboxEvent.of("a", "t", "1"), OutboxEvent.of("b", "t", "2"));
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toCompat(Duration.ofSeconds(10));
        assertThat(database.column("SELECT DISTINCT status FROM transfer_events"))
                .containsExactly("PENDING");
    }
}
