package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.operating.Operator;
import io.sluice.outbox.operating.Parked;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Events that cannot be published, and settings under which none can.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@ResourceLock(value = Slots.LOCK, mode = ResourceAccessMode.READ)
@Timeout(120)
class RefusedEventsTest {
    private static final Backoff QUICKLY =
            new Backoff(Duration.ofMillis(50), Duration.ofMillis(200));

    /// Refused by kafka-clients before it leaves.
    @Test
    @DisplayName(
            "O2: an event that is too large for the producer is parked; its aggregate waits, others go on")
    void tooLargeForTheProducer(Database database, Broker broker) {
        String topic = broker.topic();
        Map<String, Object> producer = new HashMap<>(broker.client());
        producer.put("max.request.size", 50_000);
        RelaySettings settings = RelaySettings.of(topic, producer);
        write(database, "x".repeat(60_000));
        try (Relay relay = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(101).linger(Duration.ofMillis(300));

            assertThat(reader.byKey().get("good")).hasSize(100);
            assertThat(reader.byKey().get("bad")).as("what was before it").containsExactly("first");
            assertThat(relay.status().parked()).isEqualTo(1);
            assertThat(
                            database.column(
                                    "SELECT state || ' ' || attempts || ' ' || left(last_error, 23) FROM outbox_parked ORDER BY ord"))
                    .containsExactly(
                            "FAILED 1 RecordTooLargeException", "WAITING 0 ", "WAITING 0 ");
            assertThat(
                            database.number(
                                    "SELECT extract(epoch FROM next_retry_at - parked_at)::int FROM outbox_parked WHERE state = 'FAILED'"))
                    .as("the document's first wait")
                    .isEqualTo(5);
        }
    }

    /// Nothing is set: what a producer, a topic and a relay do by themselves.
    @Test
    @DisplayName(
            "O2: 2 MB in the middle, with every limit as it is by default: parked with its reason, order kept")
    void twoMegabytesInTheMiddle(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        String large = "x".repeat(2 << 20);
        write(database, large);
        Operator operator = Operator.of(database, OutboxTable.TRANSFER_EVENTS);
        try (Relay relay = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(101).linger(Duration.ofMillis(300));
            assertThat(reader.byKey().get("good"))
                    .isEqualTo(IntStream.range(0, 100).mapToObj(Integer::toString).toList());
            assertThat(reader.byKey().get("bad")).containsExactly("first");
            assertThat(relay.status().parked()).isEqualTo(1);
            assertThat(operator.parked().list("bad", 10))
                    .extracting(Parked::state)
                    .containsExactly("FAILED", "WAITING", "WAITING");
            assertThat(operator.parked().list("bad", 1).getFirst().error())
                    .startsWith("RecordTooLargeException: ");
            database.append(OutboxEvent.of("bad", "t", "fourth"));
            operator.parked().skip("bad");
            reader.await(104).linger(Duration.ofMillis(300));
            assertThat(reader.byKey().get("bad"))
                    .containsExactly("first", "second", "third", "fourth");
            assertThat(database.number("SELECT count(*) FROM outbox_parked")).isZero();
        }
    }

    /// Refused by the broker, when later events of the same aggregate are already with the producer.
    @Test
    void tooLargeForTheTopicAndThenTheTopicAllowsMore(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        RelaySettings settings = RelaySettings.of(topic, broker.client()).withParking(QUICKLY);
        String large = "x".repeat(30_000);
        write(database, large);
        try (Relay relay = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(101).linger(Duration.ofMillis(300));
            assertThat(reader.byKey().get("bad")).containsExactly("first");
            database.append(OutboxEvent.of("bad", "t", "much later"));
            database.append(OutboxEvent.of("good", "t", "100"));
            reader.await(102);

            allow(broker, topic, "100000");
            reader.await(106).linger(Duration.ofMillis(300));
            assertThat(reader.byKey().get("bad"))
                    .containsExactly("first", large, "second", "third", "much later");
            assertThat(reader.byKey().get("good"))
                    .isEqualTo(IntStream.range(0, 101).mapToObj(Integer::toString).toList());
            assertThat(relay.status().parked()).isEqualTo(1);
            assertThat(database.number("SELECT count(*) FROM outbox_parked")).isZero();

            database.append(OutboxEvent.of("bad", "t", "as always"));
            reader.await(107);
        }
    }

    /// The columns of a table of one's own; those of parked events are ours.
    @Test
    void columnsMayHaveOtherNames(Database database, Broker broker) throws Exception {
        OutboxTable table = new OutboxTable("orders", "number", "customer", "body", "notes");
        database.run(
                "DROP TABLE transfer_events, outbox_lane, outbox_member, outbox_parked, outbox_source, outbox_partition");
        try (Connection connection = database.open()) {
            OutboxSchema.install(connection, table);
        }
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        RelaySettings settings =
                RelaySettings.of(topic, broker.client()).withTable(table).withParking(QUICKLY);
        String large = "x".repeat(30_000);
        try (Relay relay = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic);
                Connection connection = database.open()) {
            connection.setAutoCommit(false);
            Outbox.in(table)
                    .append(
                            connection,
                            List.of(
                                    OutboxEvent.of("good", "t", "1"),
                                    OutboxEvent.of("bad", "t", large)));
            connection.commit();
            reader.await(1).awaitUntil(() -> relay.status().parked() == 1, "it to be parked");
            allow(broker, topic, "100000");
            assertThat(reader.await(2).byKey().get("bad")).containsExactly(large);
        }
    }

    @Test
    void parkedEventsAreRetriedByAnotherRelayToo(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        RelaySettings settings = RelaySettings.of(topic, broker.client()).withParking(QUICKLY);
        write(database, "x".repeat(30_000));
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Relay _ = Relay.start(database, settings)) {
                reader.await(101);
            }
            allow(broker, topic, "100000");
            try (Relay _ = Relay.start(database, settings)) {
                reader.await(104);
            }
            assertThat(reader.byKey().get("bad")).hasSize(4).endsWith("second", "third");
            assertThat(reader.repeated()).isZero();
        }
    }

    @Test
    void whatWasSentBeforeARefusedEventKeepsItsNumberThoughItIsReadAgain(
            Database database, Broker broker) throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        try (TopicReader reader = new TopicReader(broker, topic)) {
            assertSentOnce(database, broker, settings, reader);
            assertThat(reader.repeated()).as("what was sent before it").isPositive();
        }
    }

    @Test
    void whatWasSentBeforeARefusedEventKeepsItsNumberThoughItIsStreamedAgain(
            Database database, Broker broker) throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            assertSentOnce(database, broker, Slots.settings(database, broker, topic), reader);
            assertThat(reader.repeated()).as("what was sent before it").isPositive();
        } finally {
            Slots.drop(database);
        }
    }

    /// The connection breaks when the event is parked, before anybody has written down what was sent before it.
    ///
    /// @param settings for a topic that refuses what is larger than 20,000 bytes
    static void assertSentOnce(
            Database database, Broker broker, RelaySettings settings, TopicReader reader)
            throws Exception {
        BreakingConnections connections =
                BreakingConnections.behind(database, "INSERT INTO outbox_parked");
        String large = "x".repeat(30_000);
        try (Relay _ = Relay.start(connections, settings.withParking(QUICKLY))) {
            if (settings.replication() != null) {
                reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
            }
            database.append(
                    OutboxEvent.of("bad", "t", "first"),
                    OutboxEvent.of("bad", "t", large),
                    OutboxEvent.of("good", "t", "1"),
                    OutboxEvent.of("bad", "t", "behind"));
            reader.await(2).awaitUntil(connections::isBroken, "the connection to break");
            database.append(OutboxEvent.of("good", "t", "2"));
            reader.await(3);
            allow(broker, settings.topic(), "100000");
            reader.await(5).linger(Duration.ofMillis(300));
            assertThat(reader.byKey().get("bad")).containsExactly("first", large, "behind");
            assertThat(reader.byKey().get("good")).containsExactly("1", "2");
        }
    }

    @Test
    void aTopicThatCannotExistStopsTheLanesUntilTheSettingIsChanged(
            Database database, Broker broker) throws Exception {
        Map<String, Object> producer = new HashMap<>(broker.client());
        producer.put("max.block.ms", 500);
        RelaySettings settings = RelaySettings.of("no topic of this name!", producer);
        database.append(OutboxEvent.of("a", "t", "1"));
        try (Relay relay = Relay.start(database, settings)) {
            await(() -> !relay.status().stopped().isEmpty());

            assertThat(relay.status().stopped().values().iterator().next())
                    .contains("InvalidTopicException");
            assertThat(relay.status().parked()).isZero();
        }
        assertThat(database.number("SELECT count(*) FROM outbox_parked")).isZero();
        String topic = broker.topic();
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            assertThat(reader.await(1).byKey().get("a")).containsExactly("1");
        }
    }

    /// 100 good ones around an aggregate with a large event in the middle.
    private static void write(Database database, String large) {
        OutboxEvent[] events = new OutboxEvent[104];
        int good = 0;
        for (int i = 0; i < events.length; i++) {
            events[i] =
                    switch (i) {
                        case 10 -> OutboxEvent.of("bad", "t", "first");
                        case 20 -> OutboxEvent.of("bad", "t", large);
                        case 21 -> OutboxEvent.of("bad", "t", "second");
                        case 90 -> OutboxEvent.of("bad", "t", "third");
                        default -> OutboxEvent.of("good", "t", Integer.toString(good++));
                    };
        }
        database.append(events);
    }

    static void allow(Broker broker, String topic, String bytes) throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var change =
                new AlterConfigOp(
                        new ConfigEntry("max.message.bytes", bytes), AlterConfigOp.OpType.SET);
        try (Admin admin = Admin.create(broker.client())) {
            admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all().get();
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }
}
