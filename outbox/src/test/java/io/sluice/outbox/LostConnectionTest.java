package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.operating.Migration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// All sessions of a relay are ended by the database, again and again, while it publishes: in the middle of a batch, of a save, of a stream.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@ResourceLock(value = Slots.LOCK, mode = ResourceAccessMode.READ)
@Timeout(120)
class LostConnectionTest {
    private static final int TIMES = 4;

    private static final String SENT_AND_NOT_SAVED =
            """
            SELECT count(*) FROM transfer_events e JOIN outbox_lane l ON l.lane = outbox_lane_of(e.aggregate_id)
            WHERE e.ord > l.position AND l.bound IS NOT NULL AND pg_visible_in_snapshot(e.tx, l.bound) AND NOT pg_visible_in_snapshot(e.tx, l.seen)
            """;

    @Test
    void theTableIsReadOn(Database database, Broker broker) {
        String topic = broker.topic();
        assertNothingIsLost(database, broker, topic, RelaySettings.of(topic, broker.client()));
    }

    @Test
    void theLogIsReadOn(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        migration.toWal();
        RelaySettings settings =
                RelaySettings.of(topic, broker.client())
                        .withReplication(
                                Replication.to(named(database).url(), new Properties())
                                        .unbounded());
        assertNothingIsLost(database, broker, topic, settings);
        migration.toLog(); // while nobody runs: whoever comes next must not leave the slot behind
        try (Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(
                    () ->
                            database.number(
                                            "SELECT count(*) FROM pg_replication_slots WHERE slot_name LIKE '%\\_' || 'transfer_events'::regclass::oid")
                                    == 0,
                    "the slot to be dropped");
        }
    }

    /// The worst moment: what has just been acknowledged is not yet saved as published, and nobody but this relay knows of it. In front of every statement that would save it, of one page and of
    /// pages that follow each other.
    @Test
    @DisplayName(
            "O1: a session that ends between send and save loses nothing, and what comes again has the numbers that it had")
    void whatIsSentAndNotSavedComesAgainWithItsNumbers(Database database, Broker broker) {
        String topic = broker.topic();
        AtomicReference<@Nullable Relay> running = new AtomicReference<>();
        AtomicLong breaksAt = new AtomicLong(Long.MAX_VALUE);
        List<Long> unsaved = new CopyOnWriteArrayList<>();
        BreakingConnections connections =
                BreakingConnections.where(
                        database,
                        () -> {
                            Relay relay = running.get();
                            boolean breaks =
                                    relay != null && relay.status().published() >= breaksAt.get();
                            if (breaks) {
                                breaksAt.set(Long.MAX_VALUE);
                                unsaved.add(database.number(SENT_AND_NOT_SAVED));
                            }
                            return breaks;
                        });
        RelaySettings settings = RelaySettings.of(topic, broker.client()).withPage(10, 1 << 20);
        int written = 0;
        try (Relay relay = Relay.start(connections, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            running.set(relay);
            for (int events : List.of(1, 25, 200, 1)) { // One page; some; out of a backlog.
                int before = reader.repeated();
                breaksAt.set(relay.status().published() + 1);
                database.run(
                        "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i %% 3, i FROM generate_series(%d, %d) i"
                                .formatted(written + 1, written + events));
                written += events;
                reader.await(written)
                        .awaitUntil(() -> reader.repeated() > before, "it to come again");
            }
            reader.linger(Duration.ofMillis(300));
            assertThat(unsaved).as("being sent, for the database").hasSize(4).doesNotContain(0L);
            assertThat(reader.records()).hasSize(written);
            RelayTest.assertInOrder(reader);
        }
    }

    /// A host is lost: no end of a connection comes, nor anything else. Whoever asks the database anew is answered.
    @Test
    void whoIsNotAnsweredAsksAgain(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        try (SilentLink link = SilentLink.to(database);
                Relay relay =
                        Relay.start(link.database(), RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            database.append(OutboxEvent.of("a", "t", "1"));
            reader.await(1);
            link.fallSilent();
            database.append(OutboxEvent.of("a", "t", "2"));
            reader.await(2).awaitUntil(() -> relay.health().up(), "it to be well again");
        }
    }

    /// A pool or a driver may throw what it likes; publishing goes on, and so do the others who ask the database.
    @Test
    void whatNobodyHasForeseenIsSurvived(Database database, Broker broker) {
        String topic = broker.topic();
        Map<String, Integer> threads = new ConcurrentHashMap<>();
        ConnectionSource failing =
                () -> {
                    if (threads.merge(Thread.currentThread().getName(), 1, Integer::sum) == 1) {
                        throw new IllegalStateException("not now");
                    }
                    return database.open();
                };
        try (Relay relay = Relay.start(failing, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            database.append(OutboxEvent.of("a", "t", "1"));
            reader.await(1).awaitUntil(() -> relay.status().published() == 1, "its own count");
            for (String each : List.of("outbox-publishing", "outbox-session", "outbox-watch")) {
                reader.awaitUntil(() -> threads.getOrDefault(each, 0) > 1, each + " to go on");
            }
            assertThat(relay.health().up()).isTrue();
        }
    }

    /// An error of the machine, too, may pass.
    @Test
    void anErrorOfTheMachineIsSurvived(Database database, Broker broker) {
        String topic = broker.topic();
        Map<String, Integer> threads = new ConcurrentHashMap<>();
        List<String> all =
                List.of(
                        "outbox-publishing",
                        "outbox-session",
                        "outbox-watch",
                        "outbox-housekeeping");
        ConnectionSource failing =
                () -> {
                    String thread = Thread.currentThread().getName();
                    if (threads.merge(thread, 1, Integer::sum) == 1 && all.contains(thread)) {
                        throw new OutOfMemoryError("not a byte");
                    }
                    return database.open();
                };
        try (Relay _ = Relay.start(failing, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            database.append(OutboxEvent.of("a", "t", "1"));
            for (String each : all) {
                reader.awaitUntil(() -> threads.getOrDefault(each, 0) > 1, each + " to go on");
            }
            reader.await(1);
        }
    }

    private static void assertNothingIsLost(
            Database database, Broker broker, String topic, RelaySettings settings) {
        Database named = named(database);
        try (Writers writers = Writers.start(database, 3, 3);
                Relay relay = Relay.start(named, settings.withPage(50, 1 << 20));
                TopicReader reader = new TopicReader(broker, topic)) {
            for (int i = 0; i < TIMES; i++) {
                long before = relay.status().published();
                reader.awaitUntil(() -> relay.status().published() > before + 20, "it to publish");
                reader.awaitUntil(() -> endSessions(database, named) > 0, "sessions to end");
            }
            int expected = writers.finish();
            reader.await(expected).linger(Duration.ofMillis(300));
            KilledRelayTest.assertSameAsTable(database, reader);
            assertThat(reader.records()).hasSize(expected);
        }
    }

    /// The same database, by a name under which its sessions are found.
    private static Database named(Database database) {
        return new Database(database.url() + "&ApplicationName=" + name(database));
    }

    private static String name(Database database) {
        return "lost_" + database.column("SELECT current_schema()").getFirst();
    }

    private static long endSessions(Database database, Database named) {
        return database.number(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '%s'"
                        .formatted(name(named)));
    }
}
