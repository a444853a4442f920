package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.TableRounds.Found;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.lanes.View;
import io.sluice.outbox.membership.LaneOwnership;
import io.sluice.outbox.membership.Membership.Seat;
import io.sluice.outbox.parking.ParkingLot;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.Refusal;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// The next page is read while one is on its way, and sent behind it: whatever becomes of that one, nothing is lost, exchanged, or sent before it is saved.
@ParameterizedClass(name = "pages follow each other for {0} ms")
@ValueSource(longs = {0, 3_600_000})
@ExtendWith(Database.Extension.class)
@Timeout(60)
class ReadAheadTest {
    private static final int LANES = 64;

    @Parameter long atOnceMillis;

    private final Recorder broker = new Recorder();

    @Test
    void thePageBehindTheOneOnItsWayIsThereWhenThatIsDone(Database database) throws Exception {
        CountedSessions counted = new CountedSessions(database);
        long last =
                database.number(
                        "SELECT sequence FROM outbox_lane WHERE lane = outbox_lane_of('a')");
        append(database, "a", 1, 5);
        List<Long> statements = new ArrayList<>();
        broker.before = events -> statements.add(counted.executed());
        try (Connection connection = counted.open()) {
            Member member = new Member(connection, 1, 0, 2);
            Found found = member.publish();
            while (found == Found.MORE) {
                found = member.publish();
            }
            assertThat(found).isEqualTo(Found.ALL);
            assertThat(statements.get(1)).isEqualTo(statements.get(0) + 1);
            assertThat(statements.get(2)).isEqualTo(statements.get(0) + 2);
            assertThat(broker.payloads()).containsExactly("a1", "a2", "a3", "a4", "a5");
            assertThat(broker.sent)
                    .extracting(Numbered::sequence)
                    .containsExactly(last + 1, last + 2, last + 3, last + 4, last + 5);
        }
    }

    @Test
    void aPageIsSentBehindTheOneOnItsWay(Database database) throws Exception {
        append(database, "a", 1, 5);
        List<Integer> sent = new ArrayList<>();
        broker.answer =
                events -> {
                    sent.add(broker.sent.size());
                    return new Outcome(events, Optional.empty());
                };
        try (Connection connection = database.open()) {
            new Member(connection, 1, 0, 2).publishAll();
        }
        assertThat(sent)
                .as("sent when a page was answered")
                .isEqualTo(atOnceMillis > 0 ? List.of(4, 5, 5) : List.of(2, 4, 5));
        assertThat(broker.payloads()).isEqualTo(payloads("a", 5));
    }

    /// What is parked must wait beside its key's first one, also if that was parked while the page was read.
    @Test
    void aPageWithEventsBehindParkedOnesIsNotSentBeforeTheyAreWrittenDown(Database database)
            throws Exception {
        append(database, "a", 1, 1);
        broker.refuses("a1", new Refusal.OfRecord("too large"));
        try (Connection connection = database.open()) {
            Member member = new Member(connection, 1, 0, 2);
            member.publishAll();
            append(database, "b", 1, 2);
            append(database, "a", 2, 1);
            append(database, "b", 3, 2);
            member.publishAll();
        }
        assertThat(broker.payloads()).containsExactly("a1", "b1", "b2", "b3", "b4");
        assertThat(database.column("SELECT state FROM outbox_parked ORDER BY ord"))
                .containsExactly("FAILED", "WAITING");
    }

    /// Also of a lane that only the page has opened that was read ahead.
    @Test
    void nothingIsSentThatIsNotSavedAsBeingSent(Database database) throws Exception {
        append(database, "a", 1, 4);
        broker.before =
                events -> {
                    events.forEach(event -> assertBeingSent(database, event));
                    if (broker.sent.isEmpty()) {
                        append(database, "b", 1, 4);
                    }
                };
        try (Connection connection = database.open()) {
            new Member(connection, 1, 0, 2).publishAll();
            assertThat(broker.of("a")).isEqualTo(payloads("a", 4));
            assertThat(broker.of("b")).isEqualTo(payloads("b", 4));
        }
    }

    @Test
    void nothingOfABacklogIsSentThatIsNotSavedAsBeingSent(Database database) throws Exception {
        append(database, "a", 1, 15);
        append(database, "b", 1, 15);
        broker.before = events -> events.forEach(event -> assertBeingSent(database, event));
        try (Connection connection = database.open()) {
            new Member(connection, 1, 0, 1).publishAll();
            assertThat(broker.of("a")).isEqualTo(payloads("a", 15));
            assertThat(broker.of("b")).isEqualTo(payloads("b", 15));
        }
    }

    /// It dies at every place: before and after the next page was read.
    @Test
    void whoTakesOverRepeatsWhatWasSentWithTheSameNumbers(Database database) throws Exception {
        Map<String, Long> numbers = new HashMap<>();
        broker.before =
                events ->
                        events.forEach(
                                event -> {
                                    String id = event.event().id();
                                    Long before = numbers.put(id, event.sequence());
                                    assertThat(before).isIn(null, event.sequence());
                                });
        int written = 0;
        long member = 0;
        for (int pageRows : List.of(1, 2)) { // From a backlog, and from the table.
            for (int dies = 1; dies <= 5; dies++) {
                append(database, "a", written + 1, 8);
                append(database, "b", written + 1, 8);
                written += 8;
                broker.diesAt = dies;
                broker.diesEarly = dies % 2 == 0;
                try (Connection connection = database.open()) {
                    Member killed = new Member(connection, ++member, member - 1, pageRows);
                    assertThatThrownBy(killed::publishAll).isInstanceOf(Killed.class);
                }
                try (Connection connection = database.open()) {
                    new Member(connection, ++member, member - 1, pageRows).publishAll();
                }
            }
        }
        assertThat(broker.firstTime("a")).isEqualTo(payloads("a", written));
        assertThat(broker.firstTime("b")).isEqualTo(payloads("b", written));
    }

    @Test
    void whatWasReadAheadWaitsBehindARefusedEvent(Database database) throws Exception {
        append(database, "a", 1, 5);
        broker.refuses("a2", new Refusal.OfRecord("too large"));
        try (Connection connection = database.open()) {
            new Member(connection, 1, 0, 2).publishAll();
        }
        assertThat(broker.payloads()).containsExactly("a1", "a2");
        assertThat(database.column("SELECT state FROM outbox_parked ORDER BY ord"))
                .containsExactly("FAILED", "WAITING", "WAITING", "WAITING");
    }

    /// Its lease is in doubt for a moment, and the lanes stay where they are.
    @Test
    void whatIsLeftOfAPageIsSentBeforeThePageThatWasReadAhead(Database database) throws Exception {
        append(database, "a", 1, 5);
        try (Connection connection = database.open()) {
            Member member = new Member(connection, 1, 0, 2);
            broker.answer =
                    events -> {
                        member.isTrusted = false;
                        Refusal why = new Refusal.Transport("no answer");
                        return new Outcome(
                                events.subList(0, 1),
                                Optional.of(new Outcome.Refused(events.get(1), why)));
                    };
            assertThat(member.publish()).isEqualTo(Found.MORE);
            broker.answer = events -> new Outcome(events, Optional.empty());
            member.isTrusted = true;
            member.publishAll();
        }
        assertThat(broker.payloads()).containsExactly("a1", "a2", "a2", "a3", "a4", "a5");
        assertThat(broker.firstTime("a")).isEqualTo(payloads("a", 5));
    }

    @Test
    void whatWasReadAheadOfALaneThatStopsIsNotSent(Database database) throws Exception {
        append(database, "a", 1, 5);
        append(database, "b", 1, 5);
        broker.refuses("a2", new Refusal.OfConfiguration("not authorised"));
        try (Connection connection = database.open()) {
            new Member(connection, 1, 0, 2).publishAll();
        }
        assertThat(broker.of("a")).containsExactly("a1", "a2");
        assertThat(broker.of("b")).isEqualTo(payloads("b", 5));
    }

    /// With the page behind on its way: there is nothing to read, and no reason to look for it without end.
    @Test
    void whereAllLanesStopTheRoundsEnd(Database database) throws Exception {
        database.append(
                IntStream.range(0, 1_500)
                        .mapToObj(i -> OutboxEvent.of("key" + i, "t", "1"))
                        .toArray(OutboxEvent[]::new));
        AtomicInteger attempts = new AtomicInteger();
        broker.answer =
                events -> {
                    attempts.incrementAndGet();
                    Refusal why = new Refusal.OfConfiguration("not authorised");
                    return new Outcome(
                            List.of(), Optional.of(new Outcome.Refused(events.getFirst(), why)));
                };
        try (Connection connection = database.open()) {
            Member member = new Member(connection, 1, 0, 1_000);
            member.publish();
            assertThat(member.publish()).isEqualTo(Found.NOTHING);
        }
        assertThat(attempts).as("later, when the lanes run again").hasValue(1);
    }

    @Test
    void whatWasReadAheadOfALaneThatIsLostIsNotSent(Database database) throws Exception {
        append(database, "a", 1, 1);
        append(database, "b", 1, 1);
        append(database, "a", 2, 3);
        append(database, "b", 2, 3);
        broker.before =
                events -> {
                    if (broker.sent.isEmpty()) {
                        database.run(
                                "UPDATE outbox_lane SET owner = 9, epoch = epoch + 1 WHERE lane = outbox_lane_of('a')");
                    }
                };
        try (Connection connection = database.open()) {
            Member member = new Member(connection, 1, 0, 2);
            member.publishAll();
            assertThat(member.lanes.all()).hasSize(LANES - 1);
        }
        assertThat(broker.of("a")).containsExactly("a1");
        assertThat(broker.of("b")).isEqualTo(payloads("b", 4));
    }

    /// The backlog has given the page away: it cannot be had from there again.
    @Test
    void aPageOfABacklogThatIsForgottenIsReadAgain(Database database) throws Exception {
        append(database, "a", 1, 30);
        try (Connection connection = database.open()) {
            Member member = new Member(connection, 1, 0, 1, 1 << 20, Duration.ZERO);
            for (int i = 0; i < 30; i++) {
                assertThat(member.publish()).isNotEqualTo(Found.NOTHING);
                if (i % 4 == 3) { // As if a parked event had been given a number.
                    member.atRest().reserve(1);
                }
            }
            member.publishAll();
        }
        assertThat(broker.payloads()).isEqualTo(payloads("a", 30));
    }

    /// The database may take long to answer, and nobody looks after what is on its way meanwhile.
    @Test
    void whatIsOnItsWayIsCalledBackBeforeTheBacklogIsClosed(Database database) throws Exception {
        append(database, "b", 1, 2);
        for (int i = 1; i <= 2; i++) {
            append(database, "a", i, 1);
            append(database, "b", i + 2, 1);
        }
        append(database, "b", 5, 56);
        broker.before =
                events -> {
                    if (events.getFirst().event().key().equals("a") && !broker.of("a").isEmpty()) {
                        broker.before = later -> {};
                        database.run(
                                "UPDATE outbox_lane SET owner = 9, epoch = epoch + 1 WHERE lane = outbox_lane_of('a')");
                    }
                };
        List<Boolean> closed = new ArrayList<>();
        WatchedStatements watched =
                new WatchedStatements(
                        database,
                        sql -> {
                            if (sql.startsWith("CLOSE")) {
                                closed.add(broker.hasOneOnItsWay());
                            }
                        });
        try (Connection connection = watched.open()) {
            Member member = new Member(connection, 1, 0, 2);
            member.publishAll();
            assertThat(member.lanes.all()).hasSize(LANES - 1);
        }
        assertThat(closed).isNotEmpty().doesNotContain(true);
        assertThat(broker.of("b")).isEqualTo(payloads("b", 60));
    }

    /// For example while it stands aside, because nothing gets through to the broker: minutes later the database is as good as ever.
    @Test
    void aFailureToReadAheadIsForgottenWithTheLanes(Database database) throws Exception {
        append(database, "a", 1, 5);
        try (Connection connection = database.open()) {
            Member member = new Member(connection, 1, 0, 2);
            broker.before =
                    events -> {
                        broker.before = later -> {};
                        database.run("ALTER TABLE transfer_events RENAME TO away");
                    };
            member.publish();
            database.run("ALTER TABLE away RENAME TO transfer_events");
            member.rounds.forget();
            member.publishAll();
        }
        assertThat(broker.payloads()).isEqualTo(payloads("a", 5));
    }

    @Test
    void twoPagesAreNotLargerThanOneMayBe(Database database) throws Exception {
        append(database, "a", 1, 5);
        CountedSessions counted = new CountedSessions(database);
        try (Connection connection = counted.open()) {
            Member member = new Member(connection, 1, 0, 2, 7);
            broker.before = events -> assertThat(events).hasSize(2);
            long before = counted.executed();
            member.publish();
            assertThat(counted.executed()).as("4 bytes of 7: no room").isEqualTo(before + 1);
        }
    }

    private static void append(Database database, String key, int from, int count) {
        database.append(
                IntStream.range(from, from + count)
                        .mapToObj(i -> OutboxEvent.of(key, "t", key + i))
                        .toArray(OutboxEvent[]::new));
    }

    private static List<String> payloads(String key, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> key + i).toList();
    }

    private static void assertBeingSent(Database database, Numbered event) {
        assertThat(
                        database.number(
                                """
                                SELECT count(*) FROM transfer_events e JOIN outbox_lane l ON l.lane = outbox_lane_of(e.aggregate_id)
                                WHERE e.ord = %d AND e.ord > l.position AND l.bound IS NOT NULL
                                  AND pg_visible_in_snapshot(e.tx, l.bound) AND NOT pg_visible_in_snapshot(e.tx, l.seen)
                                """
                                        .formatted(event.event().ord())))
                .as("event %s", event.event().ord())
                .isEqualTo(1);
    }

    static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /// A relay that owns all lanes, without the loop around it.
    private final class Member {
        private final Connection connection;
        private final OwnedLanes lanes;
        private final TableRounds rounds;
        boolean isTrusted = true;

        Member(Connection connection, long number, long successorOf, int pageRows)
                throws Exception {
            this(connection, number, successorOf, pageRows, 1 << 20);
        }

        Member(Connection connection, long number, long successorOf, int pageRows, int pageBytes)
                throws Exception {
            this(
                    connection,
                    number,
                    successorOf,
                    pageRows,
                    pageBytes,
                    Duration.ofMillis(atOnceMillis));
        }

        Member(
                Connection connection,
                long number,
                long successorOf,
                int pageRows,
                int pageBytes,
                Duration atOnce)
                throws Exception {
            this.connection = connection;
            RelaySettings settings =
                    RelaySettings.of("any", Map.of()).withPage(pageRows, pageBytes);
            ParkingLot parkingLot = new ParkingLot("transfer_events", settings.parking(), 1_000);
            RelayStatus status = new RelayStatus(latency -> {}, () -> 0);
            lanes = new OwnedLanes(new LaneOwnership("transfer_events"), parkingLot);
            Map<Integer, Long> owners = new HashMap<>();
            IntStream.range(0, LANES).forEach(lane -> owners.put(lane, successorOf));
            View view =
                    new View(
                            new TreeSet<>(List.of(number)), new TreeMap<>(owners), LANES, Mode.LOG);
            Seat seat =
                    new Seat(number, 1, view, System.nanoTime() + Duration.ofHours(1).toNanos());
            Dispatch dispatch =
                    new Dispatch(
                            () -> Optional.of(seat).filter(now -> isTrusted),
                            new Waking(),
                            status,
                            lanes,
                            () -> {},
                            Duration.ofSeconds(10));
            rounds =
                    new TableRounds(
                            settings,
                            lanes,
                            new RefusedEvents(lanes, parkingLot, status),
                            dispatch,
                            status,
                            atOnce);
            rounds.connected(connection);
            lanes.follow(connection, seat, broker);
            assertThat(lanes.all()).hasSize(LANES);
        }

        Found publish() throws Exception {
            return rounds.publish(connection, broker);
        }

        /// And whatever is written meanwhile.
        void publishAll() throws Exception {
            while (publish() != Found.NOTHING) {
                assertThat(broker.sent).hasSizeLessThan(1_000);
            }
            lanes.save(connection);
        }

        Lane atRest() {
            return lanes.all().stream()
                    .filter(lane -> !lane.cursor().isOpen())
                    .findFirst()
                    .orElseThrow();
        }
    }
}
