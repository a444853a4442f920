package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.Postgres;
import io.sluice.fixtures.Standby;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.operating.Migration;
import io.sluice.testing.SteadyPorts;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The primary is lost in the middle of a backlog, and a standby that was cut off from it long before takes its place, under a relay that goes on. What the relay has in memory, and what consumers
/// and the broker have of it, is of transactions that never happened; their ids, the events' ids and their `ord` are given a second time.
@Timeout(240)
@Order(1)
class FailoverTest {
    private static final int KEPT = 20;

    /// A standby knows up to 32 numbers of a sequence ahead: of fewer none would be given twice.
    private static final int LOST = 200;

    /// Far more than there is time to publish.
    private static final int BACKLOG = 50_000;

    private static final int LATER = 20;

    /// All of these are published, and saved as such.
    private static final String NOT_SEEN =
            "SELECT count(*) FROM transfer_events e JOIN outbox_lane l ON l.lane = outbox_lane_of(e.aggregate_id) WHERE NOT pg_visible_in_snapshot(e.tx, l.seen)";

    @Test
    @ExtendWith(Broker.Extension.class)
    @DisplayName("O1: a relay that lives through a failover takes no new event for a lost one")
    void aRelayLivesThroughIt(Broker broker, @TempDir Path folder) throws Exception {
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        try (TopicReader reader = new TopicReader(broker, topic)) {
            List<String> published = failOver(Mode.LOG, settings, reader, folder);
            assertThat(published).doesNotHaveDuplicates();
            assertThat(reader.repeated()).isZero();
        }
    }

    /// What the broker keeps as progress does not go back with the database.
    @Test
    @ExtendWith(Broker.OfApacheKafka.class)
    @DisplayName("O1: progress that is committed at the broker swallows nothing after a failover")
    void aRelayThatCommitsItsProgressAtTheBrokerLivesThroughIt(Broker broker, @TempDir Path folder)
            throws Exception {
        String topic = broker.topic();
        RelaySettings settings =
                RelaySettings.of(topic, broker.client()).withGuarantee(Guarantee.EXACTLY_ONCE);
        try (TopicReader reader = TopicReader.ofCommitted(broker, topic)) {
            List<String> published = failOver(Mode.LOG, settings, reader, folder);
            assertThat(published).doesNotHaveDuplicates();
            assertThat(reader.repeated()).isZero();
        }
    }

    /// The slot is lost with its database. Events of the last moment that the standby knows of may come again, as without a failover.
    @Test
    @ExtendWith(Broker.Extension.class)
    @DisplayName("O1: a relay that reads the log lives through a failover without its slot")
    void aRelayThatReadsTheLogLivesThroughIt(Broker broker, @TempDir Path folder) throws Exception {
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        try (TopicReader reader = new TopicReader(broker, topic).expectingOtherNumbers()) {
            failOver(Mode.WAL, settings, reader, folder);
        }
    }

    /// It is cut off between send and save: it has the events, and does not know that they are published.
    @Test
    @ExtendWith(Broker.Extension.class)
    @DisplayName(
            "O1: what a promoted standby does not know to be published comes again, with other numbers")
    void whatTheStandbyDoesNotKnowToBePublishedComesAgain(Broker broker, @TempDir Path folder)
            throws Exception {
        String topic = broker.topic();
        Path data = folder.resolve("primary");
        try (Postgres.Server primary = Postgres.Server.on(data, SteadyPorts.next());
                TopicReader reader = new TopicReader(broker, topic).expectingOtherNumbers()) {
            Database former = new Database(primary.url()).install();
            Address address = new Address(former);
            try (Standby standby =
                    Standby.of(primary, folder.resolve("standby"), SteadyPorts.next())) {
                Database promoted = new Database(standby.url());
                CuttingOff cutting = new CuttingOff(standby);
                ConnectionSource connections =
                        BreakingConnections.where(address, cutting::isNowButBreaksNothing);
                try (Relay relay =
                        Relay.start(connections, RelaySettings.of(topic, broker.client()))) {
                    cutting.relay = relay;
                    former.append(
                            payloads("kept", KEPT).stream()
                                    .map(each -> OutboxEvent.of("a", "t", each))
                                    .toArray(OutboxEvent[]::new));
                    reader.await(KEPT)
                            .awaitUntil(() -> cutting.isDone, "the standby to be cut off");
                    FallenDatabaseTest.fall(data, primary);
                    standby.promote();
                    assertThat(promoted.number(NOT_SEEN)).isEqualTo(KEPT);
                    address.now = promoted;
                    append(promoted, "new", LATER);
                    reader.awaitUntil(() -> hasLast(reader, "new " + LATER), "the new ones")
                            .linger(Duration.ofMillis(300));
                }
            }
            assertThat(reader.byKey().get("a"))
                    .containsExactlyElementsOf(
                            Stream.of(
                                            payloads("kept", KEPT),
                                            payloads("kept", KEPT),
                                            payloads("new", LATER))
                                    .flatMap(List::stream)
                                    .toList());
        }
    }

    /// All events are of one aggregate, so they have one order.
    ///
    /// @return what was published, in the order of arrival
    private static List<String> failOver(
            Mode mode, RelaySettings settings, TopicReader reader, Path folder) throws Exception {
        Path data = folder.resolve("primary");
        try (Postgres.Server primary = Postgres.Server.on(data, SteadyPorts.next())) {
            Database former = new Database(primary.url()).install();
            if (mode == Mode.WAL) {
                new Migration(former, OutboxTable.TRANSFER_EVENTS).toWal();
            }
            Address address = new Address(former);
            try (Standby standby =
                            Standby.of(primary, folder.resolve("standby"), SteadyPorts.next());
                    Relay _ =
                            Relay.start(
                                    address,
                                    settings.withPage(10, 1 << 20)
                                            .withReplication(address.replication()))) {
                Database promoted = new Database(standby.url());
                if (mode == Mode.WAL) {
                    reader.awaitUntil(() -> Slots.streaming(former) == 1, "the log to be read");
                }
                append(former, "kept", KEPT);
                reader.await(KEPT)
                        .awaitUntil(() -> hasAll(promoted, mode), "the standby to know that");

                standby.cutOff();
                append(former, "lost", LOST);
                reader.await(KEPT + LOST);
                Given lost = Given.of(former, "lost");
                former.run(
                        "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a', 'lost ' || i FROM generate_series(%d, %d) i"
                                .formatted(LOST + 1, LOST + BACKLOG));
                reader.await(KEPT + LOST + 100);
                FallenDatabaseTest.fall(data, primary);

                standby.promote();
                assertThat(payloads(promoted)).isEqualTo(payloads("kept", KEPT));
                address.now = promoted;
                append(promoted, "new", LATER);
                reader.awaitUntil(() -> hasLast(reader, "new " + LATER), "the new ones");
                Given later = Given.of(promoted, "new");
                assertThat(later.highestTransaction()).isLessThan(lost.highestTransaction());
                assertThat(later.highestOrd()).isLessThan(lost.highestOrd());
                assertThat(later.highestId()).isLessThan(lost.highestId());
                if (mode == Mode.WAL) {
                    reader.awaitUntil(
                            () -> Slots.streaming(promoted) == 1, "its log to be read instead");
                }
                append(promoted, "last", 1);
                reader.awaitUntil(() -> hasLast(reader, "last 1"), "the last one")
                        .linger(Duration.ofMillis(300));
                return requireOrder(reader);
            }
        }
    }

    /// Each for the first time in its order, and nothing of what is lost behind what is new.
    private static List<String> requireOrder(TopicReader reader) {
        List<String> published = reader.byKey().getOrDefault("a", List.of());
        int lost = (int) published.stream().filter(each -> each.startsWith("lost")).count();
        assertThat(lost).as("published in the middle").isBetween(LOST + 1, LOST + BACKLOG - 1);
        assertThat(published.stream().distinct())
                .containsExactlyElementsOf(
                        Stream.of(
                                        payloads("kept", KEPT),
                                        payloads("lost", lost),
                                        payloads("new", LATER),
                                        payloads("last", 1))
                                .flatMap(List::stream)
                                .toList());
        return published;
    }

    private static boolean hasLast(TopicReader reader, String payload) {
        List<String> published = reader.byKey().getOrDefault("a", List.of());
        return !published.isEmpty() && published.getLast().equals(payload);
    }

    private static boolean hasAll(Database standby, Mode mode) {
        return payloads(standby).size() == KEPT
                && (mode == Mode.WAL || standby.number(NOT_SEEN) == 0);
    }

    private static List<String> payloads(Database database) {
        return database.column("SELECT payload FROM transfer_events ORDER BY ord");
    }

    private static List<String> payloads(String what, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> what + " " + i).toList();
    }

    /// Each in a transaction of its own.
    private static void append(Database database, String what, int count) {
        payloads(what, count).forEach(each -> database.append(OutboxEvent.of("a", "t", each)));
    }

    /// How far a database has got with what it gives to events; both are given one after the other.
    private record Given(long highestTransaction, long highestOrd, long highestId) {
        static Given of(Database database, String what) {
            String events = " FROM transfer_events WHERE payload LIKE '" + what + " %'";
            return new Given(
                    database.number("SELECT max(tx::text::bigint)" + events),
                    database.number("SELECT max(ord)" + events),
                    database.number("SELECT max(event_id)" + events));
        }
    }

    /// Of a standby that has all events, in front of the first statement in which the relay may save that it has published some.
    private static final class CuttingOff {
        private final Standby standby;
        private volatile @Nullable Relay relay;
        private volatile boolean isDone;

        CuttingOff(Standby standby) {
            this.standby = standby;
        }

        /// Asked in front of each of its statements.
        boolean isNowButBreaksNothing() {
            Relay publishing = relay;
            if (!isDone && publishing != null && publishing.status().published() > 0) {
                while (payloads(new Database(standby.url())).size() < KEPT) {
                    Thread.onSpinWait();
                }
                standby.cutOff();
                isDone = true;
            }
            return false;
        }
    }

    /// Where the database is.
    private static final class Address implements ConnectionSource {
        private volatile Database now;

        Address(Database first) {
            now = first;
        }

        @Override
        public Connection open() throws SQLException {
            return now.open();
        }

        Replication replication() {
            return new Replication(
                    () -> Replication.to(now.url(), new Properties()).connections().open(), true);
        }
    }
}
