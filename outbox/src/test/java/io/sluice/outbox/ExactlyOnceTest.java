package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.CuttableLink;
import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.operating.Migration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// With Kafka transactions, against Apache Kafka: a consumer that reads committed records and filters nothing sees every event once.
@ExtendWith({Database.Extension.class, Broker.OfApacheKafka.class})
@ResourceLock(value = Slots.LOCK, mode = ResourceAccessMode.READ)
@ResourceLock(Broker.LINK)
@Timeout(240)
@Order(1)
class ExactlyOnceTest {
    private static final Set<TransactionState> ENDED =
            Set.of(
                    TransactionState.EMPTY,
                    TransactionState.COMPLETE_COMMIT,
                    TransactionState.COMPLETE_ABORT);

    @Test
    @DisplayName("O1: relays that are killed and frozen neither lose nor repeat an event")
    void killedAndFrozen(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Duration lease = Duration.ofSeconds(2);
        List<RelayProcess> relays = new ArrayList<>();
        try (Writers writers = Writers.start(database, 4, 10);
                TopicReader reader = TopicReader.ofCommitted(broker, topic)) {
            for (int i = 0; i < 2; i++) {
                relays.add(RelayProcess.exactlyOnce(database, broker, topic, lease));
            }
            relays.forEach(RelayProcess::awaitLanes);
            reader.linger(Duration.ofMillis(500));
            relays.getFirst().freeze();
            reader.awaitUntil(
                    () -> database.number("SELECT count(*) FROM outbox_member") == 1,
                    "the frozen one to be buried");
            reader.linger(Duration.ofMillis(500));
            relays.getFirst().thaw();
            reader.awaitUntil(
                    () -> database.number("SELECT count(*) FROM outbox_member") == 2,
                    "it to join again");
            relays.removeLast().kill();
            int expected = writers.finish();
            reader.await(expected).linger(Duration.ofMillis(500));
            assertThat(reader.repeated()).as("records seen twice").isZero();
            KilledRelayTest.assertSameAsTable(database, reader);
        } finally {
            relays.forEach(RelayProcess::close);
        }
    }

    /// The whole transaction is aborted and done again without the event: nothing of its aggregate overtakes it, nobody else is repeated.
    @Test
    void aRefusedEventAbortsNothingThatIsSeen(Database database, Broker broker) throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        Backoff quickly = new Backoff(Duration.ofMillis(50), Duration.ofMillis(200));
        RelaySettings settings =
                RelaySettings.of(topic, broker.client())
                        .withGuarantee(Guarantee.EXACTLY_ONCE)
                        .withParking(quickly);
        String large = "x".repeat(30_000);
        database.append(
                OutboxEvent.of("bad", "t", "first"),
                OutboxEvent.of("good", "t", "1"),
                OutboxEvent.of("bad", "t", large),
                OutboxEvent.of("bad", "t", "behind"),
                OutboxEvent.of("good", "t", "2"));
        try (Relay relay = Relay.start(database, settings);
                TopicReader reader = TopicReader.ofCommitted(broker, topic)) {
            reader.await(3).awaitUntil(() -> relay.status().parked() == 1, "it to be parked");
            RefusedEventsTest.allow(broker, topic, "100000");
            reader.await(5).linger(Duration.ofMillis(300));
            assertThat(reader.byKey().get("bad")).containsExactly("first", large, "behind");
            assertThat(reader.byKey().get("good")).containsExactly("1", "2");
            assertThat(reader.repeated()).isZero();
        }
    }

    @Test
    void whatWasCommittedBeforeARefusedEventIsNotSentAgain(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        RelaySettings settings =
                RelaySettings.of(topic, broker.client()).withGuarantee(Guarantee.EXACTLY_ONCE);
        try (TopicReader reader = TopicReader.ofCommitted(broker, topic)) {
            RefusedEventsTest.assertSentOnce(database, broker, settings, reader);
            assertThat(reader.repeated()).isZero();
        }
    }

    @Test
    void whatWasCommittedBeforeARefusedEventOfTheLogIsNotSentAgain(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        RelaySettings settings =
                Slots.settings(database, broker, topic).withGuarantee(Guarantee.EXACTLY_ONCE);
        try (TopicReader reader = TopicReader.ofCommitted(broker, topic)) {
            RefusedEventsTest.assertSentOnce(database, broker, settings, reader);
            assertThat(reader.repeated()).isZero();
        } finally {
            Slots.drop(database);
        }
    }

    /// Its lanes are given away, so nobody fences it, and readers of committed records would wait for a minute.
    @Test
    void aRelayThatStopsLeavesNoTransactionOpen(Database database, Broker broker) throws Exception {
        Map<String, Object> patient = new HashMap<>(broker.client());
        // The first event leaves at once, the second waits for others that do not come.
        patient.put("batch.size", 1_000);
        patient.put("linger.ms", 60_000);
        patient.put("delivery.timeout.ms", 120_000);
        RelaySettings settings =
                RelaySettings.of(broker.topic(), patient).withGuarantee(Guarantee.EXACTLY_ONCE);
        database.append(OutboxEvent.of("a", "t", "x".repeat(5_000)), OutboxEvent.of("a", "t", "2"));
        try (Admin admin = Admin.create(broker.client())) {
            try (Relay _ = Relay.start(database, settings)) {
                while (!states(admin, database).contains(TransactionState.ONGOING)) {
                    Thread.sleep(50);
                }
            }
            assertThat(states(admin, database)).doesNotContain(TransactionState.ONGOING);
        }
    }

    /// The cursor in the database is older than what was committed at the broker, as after a crash between the two.
    @Test
    void whatIsCommittedAtTheBrokerIsNotSentAgain(Database database, Broker broker) {
        String topic = broker.topic();
        RelaySettings settings =
                RelaySettings.of(topic, broker.client()).withGuarantee(Guarantee.EXACTLY_ONCE);
        database.run("CREATE TABLE before AS SELECT * FROM outbox_lane");
        try (TopicReader reader = TopicReader.ofCommitted(broker, topic)) {
            database.append(OutboxEvent.of("a", "t", "1"), OutboxEvent.of("b", "t", "2"));
            try (Relay _ = Relay.start(database, settings)) {
                reader.await(2);
            }
            database.run(
                    "UPDATE outbox_lane l SET seen = before.seen, bound = NULL, position = 0, sequence = before.sequence FROM before WHERE before.lane = l.lane");
            database.append(OutboxEvent.of("a", "t", "3"));
            try (Relay _ = Relay.start(database, settings)) {
                reader.await(3).linger(Duration.ofMillis(500));
            }
            assertThat(reader.repeated()).isZero();
            assertThat(reader.byKey())
                    .containsEntry("a", List.of("1", "3"))
                    .containsEntry("b", List.of("2"));
        }
    }

    @Test
    @DisplayName(
            "O1: the broker ends a transaction while the relay still tries to go on with it, and nothing is lost or repeated")
    void awayForLongerThanATransactionMayLast(Database database, Broker broker, CuttableLink link)
            throws Exception {
        assertOutlivesATransaction(database, broker, link, Map.of());
    }

    @Test
    @DisplayName(
            "O1: the broker ends a transaction that the relay has given up, and nothing is lost or repeated")
    void awayUntilTheRelayHasGivenUp(Database database, Broker broker, CuttableLink link)
            throws Exception {
        Map<String, Object> impatient =
                Map.of(
                        "request.timeout.ms",
                        1_000,
                        "delivery.timeout.ms",
                        2_000,
                        "max.block.ms",
                        2_000);
        assertOutlivesATransaction(database, broker, link, impatient);
    }

    /// The broker itself aborts what the relay cannot commit. It comes again, and those who read committed records see it once.
    private static void assertOutlivesATransaction(
            Database database, Broker broker, CuttableLink link, Map<String, Object> producer)
            throws Exception {
        String topic = broker.topic();
        Map<String, Object> settings = new HashMap<>(producer);
        settings.put("bootstrap.servers", link.bootstrap());
        settings.put("transaction.timeout.ms", 4_000);
        // One event per request, so that a transaction lasts long enough to be interrupted.
        settings.put("batch.size", 0);
        RelaySettings cuttable =
                RelaySettings.of(topic, settings)
                        .withGuarantee(Guarantee.EXACTLY_ONCE)
                        .withPage(50, 1 << 20);
        int written = 0;
        try (Admin admin = Admin.create(broker.client());
                Relay _ = Relay.start(database, cuttable);
                TopicReader committed = TopicReader.ofCommitted(broker, topic);
                TopicReader all = new TopicReader(broker, topic)) {
            do {
                link.mend();
                int before = written;
                database.run(
                        "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i %% 3, i FROM generate_series(%d, %d) i"
                                .formatted(written + 1, written + 1_000));
                written += 1_000;
                all.awaitUntil(() -> all.records().size() > before, "a transaction to begin");
                link.cut();
            } while (!isAbortedByTheBroker(admin, database));
            int visible = committed.linger(Duration.ofMillis(300)).records().size();
            assertThat(visible).as("committed while nothing can be committed").isLessThan(written);
            link.mend();
            committed.await(written).linger(Duration.ofMillis(500));
            assertThat(committed.records()).hasSize(written);
            assertThat(committed.repeated()).as("records seen twice").isZero();
            RelayTest.assertInOrder(committed);
            all.linger(Duration.ofMillis(300));
            assertThat(all.repeated()).as("aborted records, which were sent again").isPositive();
        } finally {
            link.mend();
        }
    }

    /// Waits for the end of the outbox's transaction.
    ///
    /// @return whether there was one, and it was not the relay that ended it
    private static boolean isAbortedByTheBroker(Admin admin, Database database) throws Exception {
        TransactionState first = states(admin, database).getFirst();
        TransactionState last = first;
        while (!ENDED.contains(last)) {
            Thread.sleep(50);
            last = states(admin, database).getFirst();
        }
        return first == TransactionState.ONGOING && last == TransactionState.COMPLETE_ABORT;
    }

    /// Of the outbox's transactions.
    private static List<TransactionState> states(Admin admin, Database database) throws Exception {
        String table =
                "-" + database.column("SELECT 'transfer_events'::regclass::oid").getFirst() + "-";
        return admin.listTransactions().all().get().stream()
                .filter(transaction -> transaction.transactionalId().contains(table))
                .map(TransactionListing::state)
                .toList();
    }
}
