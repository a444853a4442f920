package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/// Sleeping without empty polls, and being woken.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class WakingTest {
    /// So long that only the bell can have woken the relays: neither a renewal nor an idle look comes in the time of a test.
    private static final Duration NEVER = Duration.ofMinutes(30);

    @Test
    @DisplayName("O4: sleeping relays do not poll, and every event wakes them")
    void theBellWakesSleepers(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        RelaySettings settings =
                RelaySettings.of(topic, broker.client()).withLease(NEVER).withIdleWait(NEVER);
        try (Relay first = Relay.start(database, settings);
                Relay second = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            await(() -> lanes(first) == 32 && lanes(second) == 32);
            for (int i = 1; i <= 20; i++) {
                await(() -> isBellKept(database));
                database.append(
                        OutboxEvent.of("a" + i, "t", "x"), OutboxEvent.of("b" + i, "t", "x"));
                reader.await(2 * i);
            }
        }
    }

    /// It has shared the lock before anybody slept, so it does not ring; the sleeper must not miss it all the same.
    @Test
    void aWriterThatBeganWhileTheRelayWasAwakeIsNotMissed(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        try (Connection slow = database.open()) {
            slow.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS).append(slow, OutboxEvent.of("a", "t", "1"));
            try (Relay relay = Relay.start(database, settings);
                    TopicReader reader = new TopicReader(broker, topic)) {
                await(() -> relay.status().polls() > 10);
                assertThat(isBellKept(database)).as("a silent writer is still open").isFalse();
                slow.commit();
                reader.await(1);
                await(() -> isBellKept(database));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aBusyRelayDoesNotMakeWritersRing(Database database, Broker broker) throws Exception {
        RelaySettings settings = RelaySettings.of(broker.topic(), broker.client());
        try (Relay relay = Relay.start(database, settings);
                Connection listener = database.open();
                Connection writer = database.open();
                var statement = listener.createStatement()) {
            statement.execute(
                    "DO $$ BEGIN EXECUTE 'LISTEN outbox_' || 'outbox_member'::regclass::oid::int; END $$");
            await(() -> lanes(relay) == 64 && isBellKept(database));
            database.append(OutboxEvent.of("a", "t", "1"));
            assertThat(rings(listener, 5_000)).as("of who sleeps").isPositive();
            Outbox outbox = Outbox.in(OutboxTable.TRANSFER_EVENTS);
            writer.setAutoCommit(false);
            // It is under load some time after that has begun, and stays so.
            do {
                rings(listener, 1);
                for (int i = 0; i < 10; i++) {
                    outbox.append(writer, OutboxEvent.of("a", "t", "1"));
                    writer.commit();
                }
            } while (rings(listener, 1) > 0);
        }
    }

    /// Otherwise every writer would pay for it, for as long as the relay runs.
    @Test
    void whoHasNoLanesDoesNotKeepTheBell(Database database, Broker broker) throws Exception {
        RelaySettings settings = RelaySettings.of(broker.topic(), broker.client());
        try (Relay relay = Relay.start(database, settings)) {
            await(() -> lanes(relay) == 64 && isBellKept(database));
            database.run("UPDATE outbox_source SET mode = 'compat'");
            await(() -> lanes(relay) == 0 && !isBellKept(database));
        }
    }

    /// Of writers, not of members.
    private static long rings(Connection listener, int millis) throws SQLException {
        PGNotification[] heard = listener.unwrap(PGConnection.class).getNotifications(millis);
        return heard == null
                ? 0
                : Stream.of(heard).filter(one -> one.getParameter().equals("events")).count();
    }

    @Test
    void theNumbersAreShownThroughMicrometer(Database database, Broker broker) {
        String topic = broker.topic();
        var registry = new SimpleMeterRegistry();
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        try (Relay relay = Relay.start(database, settings, registry);
                TopicReader reader = new TopicReader(broker, topic)) {
            for (int i = 0; i < 10; i++) {
                database.append(OutboxEvent.of("a", "t", "" + i));
            }
            reader.await(10).awaitUntil(() -> relay.status().published() == 10, "its own count");
            assertThat(registry.get("outbox.events").functionCounter().count()).isEqualTo(10);
            assertThat(registry.get("outbox.lanes").gauge().value()).isEqualTo(64);
            reader.awaitUntil(
                    () -> registry.get("outbox.lanes.uncovered").gauge().value() == 0,
                    "all lanes to be covered");
            assertThat(registry.get("outbox.latency").timer().count()).isEqualTo(10);
            assertThat(relay.health()).isEqualTo(new Health(true, List.of()));
        }
    }

    @Test
    void healthSaysWhatIsWrong() {
        assertThat(Health.of(Duration.ofSeconds(9), null, Map.of()).up()).isTrue();
        assertThat(Health.of(Duration.ofSeconds(11), null, Map.of()).reasons())
                .containsExactly("Some lanes have had no relay for 11 s: their events wait");
        assertThat(Health.of(Duration.ZERO, "broker: gone", Map.of(1, "no", 2, "no")).reasons())
                .containsExactly(
                        "Nothing can be published: broker: gone", "Lanes have stopped: no");
    }

    private static int lanes(Relay relay) {
        return relay.status().lanes().size();
    }

    private static boolean isBellKept(Database database) {
        return database.number(
                        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 'outbox_member'::regclass AND objid = 0 AND mode = 'ExclusiveLock'")
                > 0;
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }
}
