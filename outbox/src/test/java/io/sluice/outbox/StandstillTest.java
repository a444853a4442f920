package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// The publishing thread waits for an answer that never comes, while the sessions of its relay's seat are answered.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class StandstillTest {
    @Test
    @DisplayName("O6: a relay whose publishing thread stands still is no stall of its lanes")
    void whoStandsStillGivesItsLanesUpUntilItGoesOn(Database database, Broker broker)
            throws Exception {
        RelaySettings settings = RelaySettings.of(broker.topic(), broker.client());
        FreezableConnections freezable = FreezableConnections.ofPublishing(database);
        Pulse pulse = new Pulse(Duration.ofSeconds(8));
        try (Relay stuck =
                        Relay.start(
                                freezable,
                                settings.withName("stuck"),
                                new CompositeMeterRegistry(),
                                pulse);
                TopicReader reader = new TopicReader(broker, settings.topic())) {
            try {
                while (stuck.status().lanes().size() < 64) {
                    Thread.sleep(20);
                }
                freezable.freeze();
                try (Relay other = Relay.start(database, settings.withName("other"))) {
                    database.append(OutboxEvent.of("a", "t", "1"), OutboxEvent.of("b", "t", "1"));
                    reader.await(2);
                    while (other.status().lanes().size() < 64) {
                        Thread.sleep(20);
                    }
                    assertThat(database.column("SELECT name FROM outbox_member"))
                            .containsExactly("other");
                    freezable.thaw();
                    while (stuck.status().lanes().size() != 32
                            || other.status().lanes().size() != 32) {
                        Thread.sleep(20);
                    }
                }
            } finally {
                freezable.thaw();
            }
        }
    }

    /// Behind a host that is lost no answer ever comes.
    @Test
    void noStatementIsWaitedForWithoutEnd(Database database) throws Exception {
        try (Connection connection = database.open()) {
            int waits = BoundedSessions.unhurried(connection, () -> connection.getNetworkTimeout());
            assertThat(Duration.ofMillis(waits)).isEqualTo(BoundedSessions.UNHURRIED);
            assertThat(connection.getNetworkTimeout()).isZero();
        }
    }
}
