package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A relay stands still at the worst moment: it has made sure that its lanes are its own, and is about to write down how far they are. When it wakes up, they are not.
///
/// [KilledRelayTest] freezes a process wherever it happens to be, which is hardly ever there, and what it knows by its own clock keeps it from doing harm elsewhere.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(240)
class WokenRelayTest {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final String UNSAVED =
            "SELECT count(*) FROM transfer_events JOIN outbox_lane ON lane = outbox_lane_of(aggregate_id) WHERE NOT pg_visible_in_snapshot(tx, seen)";

    /// Set back, the lane would be published once more from where the woken one was. What has become visible in another order than that of `ord` would come in the order of
    /// `ord` then, with each other's numbers.
    ///
    /// @param words of the statement that it is about to send: the one that reads and saves, and the one that only saves
    /// @param sent how many events it has sent and not written down, which its successor repeats
    @ParameterizedTest(name = "{0}")
    @CsvSource({"saved AS (, 0", "UPDATE outbox_lane l, 1"})
    @DisplayName("O6: a relay that wakes up does not set the lanes of its successor back")
    void theCursorOfItsSuccessorStays(String words, int sent, Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client()).withLease(LEASE);
        AtomicBoolean wanted = new AtomicBoolean();
        FreezableConnections connections =
                FreezableConnections.before(database, words, wanted::get);
        try (Connection bell = keepBell(database);
                TopicReader reader = new TopicReader(broker, topic);
                Relay _ = Relay.start(connections, settings);
                Connection slow = database.open()) {
            database.append(OutboxEvent.of("a", "t", "1"));
            reader.await(1).awaitUntil(() -> database.number(UNSAVED) == 0, "it to be saved");
            slow.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS)
                    .append(slow, OutboxEvent.of("a", "t", "written early"));
            wanted.set(true);
            database.append(OutboxEvent.of("a", "t", "2"));
            reader.awaitUntil(connections::isFrozen, "it to be frozen");
            try (RelayProcess successor = RelayProcess.start(database, broker, topic, LEASE)) {
                successor.awaitLanes();
                reader.await(2);
                database.append(OutboxEvent.of("a", "t", "3"));
                reader.await(3);
                slow.commit();
                reader.await(4).awaitUntil(() -> database.number(UNSAVED) == 0, "all to be saved");
            } finally {
                connections.thaw(); // The successor is dead: what it has saved is all there is.
            }
            database.append(OutboxEvent.of("a", "t", "4"));
            reader.await(5).linger(Duration.ofMillis(300));
            reader.received()
                    .requireSameAs(Map.of("a", List.of("1", "2", "3", "written early", "4")));
            assertThat(reader.repeated()).isEqualTo(sent);
            assertThat(bell.isValid(5)).isTrue();
        }
    }

    /// Whoever relies on another's bell saves before every sleep.
    private static Connection keepBell(Database database) throws SQLException {
        Connection session = database.open();
        try (Statement statement = session.createStatement()) {
            statement.execute("SELECT pg_advisory_lock('outbox_member'::regclass::oid::int, 0)");
        }
        return session;
    }
}
