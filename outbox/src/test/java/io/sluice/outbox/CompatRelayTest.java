package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import io.sluice.outbox.operating.Operator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

/// The document's relay with its table alone: no column, table or lock table of ours.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class CompatRelayTest {
    private static final String DELAY = "app.outbox.relay.fixedDelayMs";

    @Test
    @DisplayName(
            "O2, O3, O5: three instances share by MOD, and everything is published and marked once")
    void threeInstancesShareByMod(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        DocumentsTable.insert(database, 3000);
        String topic = broker.topic();
        List<CompatRelay> relays = new ArrayList<>();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            for (int id = 0; id < 3; id++) {
                relays.add(relay(database, broker, topic, id, 3, Map.of()));
            }
            reader.await(3000);
            await(() -> relays.stream().mapToLong(CompatRelay::published).sum() == 3000);
            assertThat(DocumentsTable.count(database, "PUBLISHED")).isEqualTo(3000);
            assertThat(relays).extracting(CompatRelay::published).containsOnly(1000L);
            assertThat(Operator.of(database, OutboxTable.TRANSFER_EVENTS).summary().members())
                    .isEqualTo(3);
            assertThat(reader.records()).hasSize(3000);
        } finally {
            relays.forEach(CompatRelay::close);
        }
    }

    @Test
    @DisplayName(
            "O2: what is stuck in SENDING is claimed again when its lease has run out, and not"
                    + " before")
    void stuckEventsAreClaimedAgain(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        DocumentsTable.insert(database, 3);
        database.run(
                "UPDATE transfer_events SET status = 'SENDING', updated_at = now() - interval '1"
                        + " hour' WHERE event_id = 1");
        database.run(
                "UPDATE transfer_events SET status = 'SENDING', updated_at = now() WHERE event_id ="
                        + " 2");
        String topic = broker.topic();
        try (CompatRelay _ = relay(database, broker, topic, 0, 1, Map.of());
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(2);
            await(() -> DocumentsTable.count(database, "PUBLISHED") == 2);
            assertThat(reader.byKey().keySet()).containsExactlyInAnyOrder("a1", "a0");
            assertThat(DocumentsTable.count(database, "SENDING"))
                    .as("somebody is still sending it")
                    .isEqualTo(1);
        }
    }

    /// Whoever gets its part knows that it is dead, or has noticed by then that the part is not its own: the part has a lock, and the lease can be long. The
    /// document's own relay has no lock.
    @Test
    @DisplayName(
            "O2, O5: whoever gets a part claims what a dead owner of it has left, before its lease is over")
    void whoeverGetsAPartClaimsWhatWasLeft(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        DocumentsTable.insert(database, 4);
        database.run(
                "UPDATE transfer_events SET status = 'SENDING', updated_at = now(), next_retry_at = now() + interval '1 h' WHERE event_id <= 2");
        database.run(
                "UPDATE transfer_events SET status = 'SENDING', updated_at = now() WHERE event_id = 3");
        long began = System.nanoTime();
        try (CompatRelay relay = relay(database, broker, broker.topic(), 0, 1, Map.of())) {
            await(() -> relay.published() == 3 && relay.emptyPolls() > 1);
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("the owner may live, and need this time to notice")
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(5));
            assertThat(
                            database.column(
                                    "SELECT event_id FROM transfer_events WHERE status = 'SENDING'"))
                    .as("the document's relay may be sending it")
                    .containsExactly("3");
        }
    }

    @Test
    @DisplayName(
            "O2: a failed event goes back to PENDING, waits, and its cause is kept; others go on")
    void failedEventsWait(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        database.run(
                "ALTER TABLE transfer_events ADD COLUMN last_error text, ADD COLUMN attempts int"
                        + " NOT NULL DEFAULT 0");
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload) VALUES ('large',"
                        + " to_jsonb(repeat('x', 60000)))");
        DocumentsTable.insert(database, 10);
        String topic = broker.topic();
        try (CompatRelay _ =
                        relay(database, broker, topic, 0, 1, Map.of("max.request.size", 50_000));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(10);
            await(() -> DocumentsTable.count(database, "PUBLISHED") == 10);
            assertThat(
                            database.column(
                                    "SELECT status || attempts || (last_error LIKE"
                                            + " '%RecordTooLarge%') || (next_retry_at > now() +"
                                            + " interval '3 s') FROM transfer_events WHERE aggregate_id"
                                            + " = 'large'"))
                    .containsExactly("PENDING1truetrue");
        }
    }

    @Test
    @DisplayName("O3: a batch that takes longer than slowProcessingThresholdMs is noticed")
    void slowBatchesAreNoticed(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        DocumentsTable.insert(database, 50);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        // Other tests may be about to begin with it.
        await(() -> LoggerFactory.getLogger(CompatRelay.class) instanceof Logger);
        var logger = (Logger) LoggerFactory.getLogger(CompatRelay.class);
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
        logger.setLevel(Level.WARN);
        String slow = "app.outbox.relay.slowProcessingThresholdMs";
        try (CompatRelay relay =
                relay(
                        database,
                        broker,
                        broker.topic(),
                        settings(0, 1, Map.of(DELAY, "50", slow, "1")))) {
            await(() -> relay.published() == 50);
            await(() -> !said(lines).isEmpty());
            assertThat(said(lines).getFirst()).matches("A batch of 50 events took [1-9][0-9]* ms");
        } finally {
            logger.setLevel(null);
            logger.setAdditive(true);
            logger.detachAppender(lines);
        }
    }

    private static List<String> said(ListAppender<ILoggingEvent> lines) {
        return List.copyOf(lines.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.startsWith("A batch of 50 "))
                .toList();
    }

    /// Nobody has to keep a list of them, which would grow: an instance sees only some of the failures and of the successes of an event.
    @Test
    @DisplayName("O2: the back-off goes on where it was, whichever instance has seen the failures")
    void pausesGrowWhoeverTries(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        database.run(
                """
                INSERT INTO transfer_events (aggregate_id, payload, updated_at, next_retry_at)
                SELECT 'large' || paused, to_jsonb(repeat('x', 60000)), now() - interval '1 h', now() - interval '1 h' + paused * interval '1 s'
                FROM unnest(ARRAY[-1, 0, 100, 250, 500, 3000]) paused
                """);
        Map<String, Object> producer = new HashMap<>(broker.client());
        producer.put("max.request.size", 50_000);
        Map<String, String> slowly =
                Map.of(DELAY, "50", "app.outbox.relay.baseBackoffMs", "100000");
        try (CompatRelay _ =
                CompatRelay.start(
                        database,
                        OutboxTable.TRANSFER_EVENTS,
                        broker.topic(),
                        producer,
                        settings(0, 1, slowly))) {
            await(
                    () ->
                            database.number(
                                            "SELECT count(*) FROM transfer_events WHERE status = 'PENDING' AND next_retry_at > now()")
                                    == 6);
            assertThat(
                            database.column(
                                    "SELECT extract(epoch FROM next_retry_at - updated_at)::int FROM transfer_events ORDER BY event_id"))
                    .containsExactly("100", "100", "200", "500", "600", "600");
        }
    }

    /// When the broker is away a whole batch fails, and every batch after it.
    @Test
    @DisplayName("O2, O3: events that fail together go back together")
    void failedEventsGoBackWithOneStatement(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        database.run("ALTER TABLE transfer_events ADD COLUMN last_error text");
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'large', to_jsonb(repeat('x', 60000)) FROM generate_series(1, 20)");
        String topic = broker.topic();
        try (CompatRelay _ =
                relay(database, broker, topic, 0, 1, Map.of("max.request.size", 50_000))) {
            await(
                    () ->
                            database.number(
                                            "SELECT count(*) FROM transfer_events WHERE status = 'PENDING' AND last_error LIKE '%RecordTooLarge%' AND next_retry_at > now() + interval '3 s'")
                                    == 20);
            assertThat(database.number("SELECT count(DISTINCT xmin::text) FROM transfer_events"))
                    .as("transactions that gave them back")
                    .isEqualTo(1);
        }
    }

    @Test
    @DisplayName("O5: a second instance with the same id waits as a standby, and takes over")
    void theSameIdTwice(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        CompatRelay first = relay(database, broker, topic, 0, 1, Map.of());
        DocumentsTable.insert(database, 1);
        await(() -> first.published() == 1);
        try (CompatRelay second = relay(database, broker, topic, 0, 1, Map.of())) {
            await(() -> says(second, "RELAY_INSTANCE_ID=0 is worked on by another instance"));
            first.close();
            DocumentsTable.insert(database, 1);
            await(() -> second.published() == 1);
            assertThat(second.trouble()).isNull();
        }
    }

    /// As when everything is started at once.
    @Test
    void aBrokerWhoseNameIsNotKnownYetIsNamed(Database database) throws Exception {
        DocumentsTable.create(database);
        DocumentsTable.insert(database, 1);
        Map<String, Object> nobody = Map.of("bootstrap.servers", "nobody.invalid:9092");
        try (CompatRelay relay =
                CompatRelay.start(
                        database,
                        OutboxTable.TRANSFER_EVENTS,
                        "t",
                        nobody,
                        settings(0, 1, Map.of(DELAY, "50")))) {
            await(() -> says(relay, "bootstrap"));
        }
    }

    @Test
    void aBrokerThatIsAwayIsNamedUntilItIsBack(Database database) throws Exception {
        DocumentsTable.create(database);
        DocumentsTable.insert(database, 1);
        Map<String, String> quickly =
                Map.of(
                        DELAY,
                        "50",
                        "app.outbox.relay.timeoutSeconds",
                        "1",
                        "app.outbox.relay.baseBackoffMs",
                        "600000");
        Map<String, Object> nobody = Map.of("bootstrap.servers", "localhost:1");
        try (CompatRelay relay =
                CompatRelay.start(
                        database,
                        OutboxTable.TRANSFER_EVENTS,
                        "t",
                        nobody,
                        settings(0, 1, quickly))) {
            await(() -> says(relay, "broker: "));
            long looks = relay.emptyPolls();
            await(() -> relay.emptyPolls() > looks + 2);
            assertThat(relay.trouble()).as("nothing was sent since").startsWith("broker: ");
        }
    }

    /// Its locks say that it is there; nobody tells the database that nothing more will come.
    @Test
    @DisplayName("O6: a frozen instance, or one whose host is lost, loses its part")
    void aFrozenInstanceLosesItsPart(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        FreezableConnections connections = FreezableConnections.atAnyTime(database);
        Map<String, String> quickly = Map.of(DELAY, "50", "app.outbox.relay.timeoutSeconds", "1");
        try (CompatRelay frozen = relay(connections, broker, topic, settings(0, 2, quickly))) {
            try (CompatRelay other = relay(database, broker, topic, settings(1, 2, quickly))) {
                DocumentsTable.insert(database, 10);
                await(() -> frozen.published() == 5 && other.published() == 5);
                connections.freeze();
                DocumentsTable.insert(database, 10);
                await(() -> other.published() == 15);
            } finally {
                connections.thaw();
            }
        }
    }

    /// Somebody else would claim and send what is still on its way.
    @Test
    void timeOutsBeyondTheLeaseAreRefused(Database database, Broker broker) {
        Map<String, Object> patient = Map.of("delivery.timeout.ms", "60000");
        assertThatThrownBy(() -> relay(database, broker, "any", 0, 1, patient))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("delivery.timeout.ms=60000")
                .hasMessageContaining("after 40000 ms others claim it again");
    }

    @Test
    void anInstanceThatHasEndedSaysSo(Broker broker) throws Exception {
        ConnectionSource failing =
                () -> {
                    throw new OutOfMemoryError("not a byte");
                };
        try (CompatRelay relay = relay(failing, broker, "any", settings(0, 1, Map.of()))) {
            await(() -> says(relay, "not a byte"));
        }
    }

    private static CompatRelay relay(
            Database database,
            Broker broker,
            String topic,
            int id,
            int total,
            Map<String, Object> producer) {
        Map<String, Object> all = new HashMap<>(broker.client());
        all.putAll(producer);
        return CompatRelay.start(
                database,
                OutboxTable.TRANSFER_EVENTS,
                topic,
                all,
                settings(id, total, Map.of(DELAY, "50")));
    }

    private static CompatRelay relay(
            ConnectionSource database, Broker broker, String topic, CompatSettings settings) {
        return CompatRelay.start(
                database, OutboxTable.TRANSFER_EVENTS, topic, broker.client(), settings);
    }

    private static CompatSettings settings(int id, int total, Map<String, String> properties) {
        return CompatSettings.of(
                Map.of("RELAY_INSTANCE_ID", "" + id, "RELAY_TOTAL_INSTANCES", "" + total),
                properties);
    }

    private static boolean says(CompatRelay relay, String words) {
        @Nullable String trouble = relay.trouble();
        return trouble != null && trouble.contains(words);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }
}
