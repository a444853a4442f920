package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.operating.Operator;
import io.sluice.outbox.operating.Replay;
import io.sluice.outbox.operating.Selection;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// A table that was there before the scripts may have NULL for an aggregate or a payload. The document's relay sent records without key or value then, and so
/// does every mode.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@ResourceLock(value = Slots.LOCK, mode = ResourceAccessMode.READ)
@Timeout(120)
class MissingValuesTest {
    private static final List<String> EXPECTED =
            List.of("a=2", "a=null", "null=1", "null=null", "=3");

    @Test
    void logMode(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        nullable(database);
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            insert(database);
            reader.await(EXPECTED.size()).linger(Duration.ofMillis(300));
            assertPublished(reader);
            assertThat(Operator.of(database, OutboxTable.TRANSFER_EVENTS).summary().waiting())
                    .isZero();
        }
    }

    @Test
    void logModeWithManyPages(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        nullable(database);
        for (int i = 0; i < 4; i++) {
            insert(database);
        }
        RelaySettings settings = RelaySettings.of(topic, broker.client()).withPage(2, 1);
        try (Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(4 * EXPECTED.size()).linger(Duration.ofMillis(300));
            assertThat(reader.records()).hasSize(4 * EXPECTED.size());
        }
    }

    @Test
    void walMode(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        nullable(database);
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        try (Relay _ = Relay.start(database, Slots.settings(database, broker, topic));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
            insert(database);
            reader.await(EXPECTED.size()).linger(Duration.ofMillis(300));
            assertPublished(reader);
        } finally {
            Slots.drop(database);
        }
    }

    @Test
    @DisplayName("O2: an event without aggregate or payload holds nobody up")
    void compatMode(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toCompat(Duration.ofSeconds(10));
        nullable(database);
        insert(database);
        try (CompatRelay _ =
                        CompatRelay.start(
                                database,
                                OutboxTable.TRANSFER_EVENTS,
                                topic,
                                broker.client(),
                                CompatSettings.of(
                                        Map.of(), Map.of("app.outbox.relay.fixedDelayMs", "50")));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(EXPECTED.size()).linger(Duration.ofMillis(300));
            assertThat(reader.records().stream().map(MissingValuesTest::text))
                    .containsExactlyInAnyOrderElementsOf(EXPECTED);
        }
    }

    /// What is parked, and what waits behind it, is as it was when it is sent at last.
    @Test
    void whatIsParkedStaysWithoutKey(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        nullable(database);
        Map<String, Object> producer = new HashMap<>(broker.client());
        producer.put("max.request.size", 50_000);
        Operator operator = Operator.of(database, OutboxTable.TRANSFER_EVENTS);
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, producer));
                TopicReader reader = new TopicReader(broker, topic)) {
            database.run(
                    "INSERT INTO transfer_events (aggregate_id, payload) VALUES (NULL, repeat('x', 60000)), (NULL, NULL), (NULL, 'last'), ('a', '1')");
            reader.await(1);
            while (operator.parked().list(null, 10).size() < 3) {
                Thread.sleep(20);
            }
            operator.parked().skip("");
            reader.await(3);
            assertThat(reader.records().stream().map(MissingValuesTest::text))
                    .containsExactlyInAnyOrder("a=1", "null=null", "null=last");
            assertThat(reader.records())
                    .noneMatch(record -> record.headers().lastHeader("outbox-absent") != null);
        }
    }

    /// Rows that an earlier version has written are not where the index is looked at now, until it is built again.
    @Test
    void rowsOfAnEarlierVersionAreFound(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        nullable(database);
        ofAnEarlierVersion(database);
        insert(database);
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(3);
        }
        database.run(
                "UPDATE outbox_lane SET seen = '3:3:', bound = NULL, position = 0"); // As if they
        // had been
        // open
        // meanwhile.
        database.install();
        String again = broker.topic();
        try (Relay _ = Relay.start(database, RelaySettings.of(again, broker.client()));
                TopicReader reader = new TopicReader(broker, again)) {
            reader.await(EXPECTED.size()).linger(Duration.ofMillis(300));
            assertPublished(reader);
        }
    }

    /// Lanes have gone past them: nobody will read them again, but they can be asked for.
    @Test
    void rowsThatAnEarlierVersionPassedByCanBeReplayed(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        nullable(database);
        ofAnEarlierVersion(database);
        insert(database);
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(3);
            database.append(OutboxEvent.of("a", "t", "later"), OutboxEvent.of("", "t", "later"));
            reader.await(5);
        }
        database.install();
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            database.append(OutboxEvent.of("", "t", "installed"));
            reader.await(6);
            assertThat(reader.records()).noneMatch(record -> record.key() == null);
            String again = broker.topic();
            Replay replay =
                    new Replay(
                            database, OutboxTable.TRANSFER_EVENTS, new Selection.ByRange(1, 100));
            assertThat(replay.publish("again", again, broker.client())).isEqualTo(8);
            try (TopicReader other = new TopicReader(broker, again)) {
                other.await(8);
                assertThat(other.records().stream().map(MissingValuesTest::text))
                        .containsAll(EXPECTED);
            }
        }
    }

    /// The index is built again under a lock that keeps writers out, and they queue behind whoever waits for it.
    @Test
    void whoeverWaitsToBuildTheIndexAgainGivesUp(Database database) throws Exception {
        nullable(database);
        ofAnEarlierVersion(database);
        try (Connection writer = database.open()) {
            writer.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS).append(writer, OutboxEvent.of("a", "t", "1"));
            var installing = CompletableFuture.runAsync(database::install);
            assertThatThrownBy(() -> installing.get(20, TimeUnit.SECONDS))
                    .hasMessageContaining("lock timeout");
            writer.commit();
        }
        database.install();
    }

    private static void ofAnEarlierVersion(Database database) {
        database.run(
                "CREATE OR REPLACE FUNCTION outbox_lane_of(aggregate text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT (hashtextextended(aggregate, 0) & 63)::integer $$");
    }

    private static void nullable(Database database) {
        database.run(
                "ALTER TABLE transfer_events ALTER COLUMN aggregate_id DROP NOT NULL, ALTER COLUMN payload DROP NOT NULL");
    }

    private static void insert(Database database) {
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload) VALUES (NULL, '1'), ('a', NULL), ('a', '2'), (NULL, NULL), ('', '3')");
    }

    private static void assertPublished(TopicReader reader) {
        assertThat(reader.records().stream().map(MissingValuesTest::text))
                .containsExactlyInAnyOrderElementsOf(EXPECTED);
        List<String> lanes =
                reader.records().stream()
                        .filter(record -> !"a".equals(record.key()))
                        .map(record -> TopicReader.header(record, "outbox-lane"))
                        .distinct()
                        .toList();
        assertThat(lanes).as("one aggregate, one lane").hasSize(1);
    }

    private static String text(ConsumerRecord<String, String> record) {
        return record.key() + "=" + record.value();
    }
}
