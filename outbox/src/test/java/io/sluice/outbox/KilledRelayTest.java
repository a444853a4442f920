package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Relays as processes that are killed and frozen while writers of all kinds go on. Afterwards table and topic are compared: nothing
/// lost, every aggregate in order, and repetitions only such that the consumer's filter has dropped them.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(180)
@Order(1)
class KilledRelayTest {
    private static final Duration SHORT_LEASE = Duration.ofSeconds(1);
    private static final int MOST_FREEZES = 10;

    @Test
    @DisplayName("O6: relays that are killed one after the other lose nothing and exchange nothing")
    void killedAgainAndAgain(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        List<RelayProcess> relays = new ArrayList<>();
        try (Writers writers = Writers.start(database, 6, 5);
                TopicReader reader = new TopicReader(broker, topic)) {
            relays.add(RelayProcess.start(database, broker, topic, Duration.ofSeconds(3)));
            relays.add(RelayProcess.start(database, broker, topic, Duration.ofSeconds(3)));
            relays.forEach(RelayProcess::awaitLanes);
            for (int kill = 0; kill < 2; kill++) {
                reader.linger(Duration.ofMillis(300));
                relays.removeFirst().kill();
                relays.add(RelayProcess.start(database, broker, topic, Duration.ofSeconds(3)));
                relays.getLast().awaitLanes();
            }
            int expected = writers.finish();
            reader.await(expected).linger(Duration.ofMillis(300));
            assertSameAsTable(database, reader);
        } finally {
            relays.forEach(RelayProcess::close);
        }
    }

    /// Each has pages before it when it dies: one is on its way, the next one is read; in the last turn out of a backlog.
    @Test
    @DisplayName("O6: a relay that is killed between two pages loses nothing and exchanges nothing")
    void killedInTheMiddleOfManyPages(Database database, Broker broker) {
        String topic = broker.topic();
        int[] turns = {3_000, 6_000, 30_000};
        int written = 0;
        RelayProcess killed = null;
        Duration lease = Duration.ofSeconds(3);
        try (TopicReader reader = new TopicReader(broker, topic);
                RelayProcess other =
                        RelayProcess.start(database, broker, topic, lease).awaitLanes()) {
            for (int events : turns) {
                killed = RelayProcess.start(database, broker, topic, lease).awaitLanes();
                reader.awaitUntil(() -> membersAre(database, 2), "both to be there");
                database.run(
                        "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'account-' || i %% 50, i FROM generate_series(%d, %d) i"
                                .formatted(written + 1, written + events));
                reader.await(written + events / 6);
                killed.kill();
                written += events;
                reader.await(written);
            }
            reader.linger(Duration.ofMillis(300));
            assertThat(other.isAlive()).isTrue();
            Map<String, List<String>> published = reader.byKey();
            for (int account = 0; account < 50; account++) {
                assertThat(published.get("account-" + account))
                        .isEqualTo(
                                database.column(
                                        "SELECT payload FROM transfer_events WHERE aggregate_id = 'account-%d' ORDER BY ord"
                                                .formatted(account)));
            }
        } finally {
            if (killed != null) {
                killed.close();
            }
        }
    }

    /// The lease would last for half an hour: only the lock of the dead session can have told.
    @Test
    void aKilledRelayIsMissedLongBeforeItsLeaseRunsOut(Database database, Broker broker) {
        String topic = broker.topic();
        Duration lease = Duration.ofMinutes(30);
        try (TopicReader reader = new TopicReader(broker, topic);
                RelayProcess killed =
                        RelayProcess.start(database, broker, topic, lease).awaitLanes();
                RelayProcess other =
                        RelayProcess.start(database, broker, topic, lease).awaitLanes()) {
            killed.kill();
            reader.awaitUntil(() -> membersAre(database, 1), "the dead one to be buried");
            for (int i = 0; i < 64; i++) {
                database.append(OutboxEvent.of("a" + i, "t", "" + i));
            }
            reader.await(64);
            assertThat(other.isAlive()).isTrue();
        }
    }

    /// The zombie: stopped for longer than its lease, its lanes taken, then it wakes up with records in its buffers, which somebody else has published meanwhile. Its producer is thrown
    /// away at once, but may be faster: only where a record has come late, behind what the other has published, has it been shown to do no harm.
    @Test
    void aFrozenRelayThatWakesUpDoesNoHarm(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        try (Writers writers = Writers.start(database, 6, 2);
                TopicReader reader = new TopicReader(broker, topic);
                RelayProcess frozen =
                        RelayProcess.lingering(
                                database, broker, topic, SHORT_LEASE, Duration.ofSeconds(1));
                RelayProcess other = RelayProcess.start(database, broker, topic, SHORT_LEASE)) {
            frozen.awaitLanes();
            other.awaitLanes();
            boolean isLate = false;
            for (int i = 0; i < 2 || !isLate; i++) {
                assertThat(i).as("freezes after which nothing came late").isLessThan(MOST_FREEZES);
                reader.linger(Duration.ofMillis(300));
                String held = freezeWithRecords(frozen, reader);
                reader.awaitUntil(() -> membersAre(database, 1), "the frozen one to be buried");
                reader.awaitUntil(
                        () -> reader.hasSeen(held), "the other to publish what is in its buffers");
                frozen.thaw();
                reader.awaitUntil(() -> membersAre(database, 2), "it to join again")
                        .linger(Duration.ofMillis(300));
                isLate |= reader.hasRepeated(held);
            }
            int expected = writers.finish();
            reader.await(expected).linger(Duration.ofMillis(300));
            assertSameAsTable(database, reader);
        }
    }

    /// @return the number of an event that it has given to its producer, and that has not left
    private static String freezeWithRecords(RelayProcess relay, TopicReader reader) {
        for (int attempt = 0; attempt < 20; attempt++) {
            String last = relay.awaitHandedOver();
            relay.freeze();
            reader.linger(Duration.ofMillis(300)); // What had left it arrives.
            if (!reader.hasSeen(last)) {
                return last;
            }
            relay.thaw();
        }
        throw new AssertionError("it has never been frozen with records in its buffers");
    }

    /// It stops where it hurts: the rows of its lanes are locked, and nobody tells the database that nothing more will come.
    @Test
    void aRelayThatIsFrozenInTheMiddleOfATransactionKeepsNoLane(Database database, Broker broker) {
        String topic = broker.topic();
        RelaySettings settings =
                RelaySettings.of(topic, broker.client()).withLease(Duration.ofSeconds(1));
        database.append(OutboxEvent.of("a", "t", "1"));
        // It claims its lanes, publishes, and saves how far it is.
        FreezableConnections connections = FreezableConnections.atCommit(database, 2);
        try (TopicReader reader = new TopicReader(broker, topic);
                Relay _ = Relay.start(connections, settings)) {
            reader.await(1).awaitUntil(connections::isFrozen, "it to be frozen");
            try (Relay other = Relay.start(database, settings)) {
                reader.awaitUntil(() -> other.status().lanes().size() == 64, "all to be taken");
                database.append(OutboxEvent.of("a", "t", "2"));
                reader.await(2);
                assertThat(reader.byKey().get("a")).containsExactly("1", "2");
            } finally {
                connections.thaw();
            }
            database.append(OutboxEvent.of("a", "t", "3"));
            reader.await(3);
            assertThat(reader.byKey().get("a")).containsExactly("1", "2", "3");
        }
    }

    private static boolean membersAre(Database database, int count) {
        return database.number("SELECT count(*) FROM outbox_member") == count;
    }

    /// The versions are the writers' own count, which knows nothing of the table's columns for relays.
    static void assertSameAsTable(Database database, TopicReader reader) {
        Map<String, List<String>> written = new HashMap<>();
        for (String account :
                database.column("SELECT DISTINCT aggregate_id FROM transfer_events ORDER BY 1")) {
            long versions =
                    database.number("SELECT version FROM account WHERE id = '" + account + "'");
            written.put(
                    account,
                    IntStream.rangeClosed(1, (int) versions).mapToObj(Integer::toString).toList());
        }
        reader.received().requireSameAs(written);
    }
}
