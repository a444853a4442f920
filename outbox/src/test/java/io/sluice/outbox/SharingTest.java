package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Several relays share the lanes; they come, leave and lose their connections while events flow.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class SharingTest {
    @Test
    @DisplayName(
            "O4, O6: from three relays to five and back to two, without a stop: even shares, order, no repetition")
    void relaysComeAndGo(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        List<Relay> relays = new ArrayList<>();
        try (Writers writers = Writers.start(database, 4, 5);
                TopicReader reader = new TopicReader(broker, topic)) {
            for (int count : new int[] {3, 5, 2}) {
                while (relays.size() < count) {
                    relays.add(Relay.start(database, settings));
                }
                while (relays.size() > count) {
                    relays.removeFirst().close();
                }
                reader.awaitUntil(() -> shared(relays), "even shares of " + count);
                reader.linger(Duration.ofMillis(300));
            }
            int expected = writers.finish();
            reader.await(expected);
            RelayTest.assertInOrder(reader);
            assertThat(reader.repeated()).as("handed over, not taken over").isZero();
        } finally {
            relays.forEach(Relay::close);
        }
    }

    @Test
    void theBrokerMayComeLater(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        String nobody = "localhost:1";
        database.append(OutboxEvent.of("a", "t", "1"));
        RelaySettings wrong =
                RelaySettings.of(
                        topic, java.util.Map.of("bootstrap.servers", nobody, "max.block.ms", 200));
        try (Relay relay = Relay.start(database, wrong)) {
            await(() -> relay.status().trouble() != null);
            assertThat(relay.status().trouble()).startsWith("broker: ");
        }
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(1);
        }
    }

    /// Somebody has set an old row back. Log mode has begun long ago, and a newcomer that waited for compat mode would leave its share to nobody.
    @Test
    void aNewcomerWaitsForNothingThatTheOthersDoNotWaitFor(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, broker.client());
        try (Relay first = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            database.run(
                    "INSERT INTO transfer_events (aggregate_id, payload, status) VALUES ('a', '1', 'PUBLISHED')");
            reader.await(1);
            database.append(OutboxEvent.of("a", "t", "2"));
            reader.await(2);
            database.run(
                    "UPDATE transfer_events SET status = 'PENDING' WHERE status = 'PUBLISHED'");
            try (Relay second = Relay.start(database, settings)) {
                reader.awaitUntil(() -> shared(List.of(first, second)), "even shares");
            }
        }
    }

    /// From then on the others leave lanes to it.
    @Test
    void aRelayJoinsWhenItCouldPublish(Database database, Broker broker) throws Exception {
        CountDownLatch mayPublish = new CountDownLatch(1);
        ConnectionSource slow =
                () -> {
                    if (Thread.currentThread().getName().equals("outbox-publishing")) {
                        awaitQuietly(mayPublish);
                    }
                    return database.open();
                };
        try (Relay relay = Relay.start(slow, RelaySettings.of(broker.topic(), broker.client()))) {
            Thread.sleep(500); // Enough for one that would not wait.
            assertThat(database.number("SELECT count(*) FROM outbox_member")).isZero();
            mayPublish.countDown();
            await(() -> relay.status().lanes().size() == 64);
        } finally {
            mayPublish.countDown();
        }
    }

    /// A snapshot that is kept for days keeps dead rows of all tables from being vacuumed.
    @Test
    void whoWatchesItsNeighbourKeepsNoSnapshot(Database database, Broker broker) throws Exception {
        RelaySettings settings = RelaySettings.of(broker.topic(), broker.client());
        try (Relay first = Relay.start(database, settings);
                Relay second = Relay.start(database, settings)) {
            await(() -> shared(List.of(first, second)));
            String watching =
                    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_advisory_lock_shared(%' AND pid <> pg_backend_pid()";
            await(() -> database.number(watching + " AND wait_event = 'advisory'") >= 2);
            String now = database.column("SELECT clock_timestamp()").getFirst();
            String old = watching + " AND state = 'active' AND query_start < '" + now + "'";
            await(() -> database.number(old) == 0);
            assertThat(shared(List.of(first, second))).as("nobody was buried").isTrue();
        }
    }

    /// Of a member that is alive by all signs and takes nothing.
    @Test
    void lanesThatNobodyTakesBringHealthDown(Database database, Broker broker) throws Exception {
        RelaySettings settings = RelaySettings.of(broker.topic(), broker.client());
        try (Relay relay = Relay.start(database, settings);
                Connection idle = database.open();
                Statement statement = idle.createStatement()) {
            await(() -> relay.status().lanes().size() == 64);
            idle.setAutoCommit(false);
            statement.execute(
                    "INSERT INTO outbox_member (outbox, name, joined_at, until) VALUES ('transfer_events', 'idle', now(), now() + interval '1 hour')");
            statement.execute(
                    "SELECT pg_advisory_lock('outbox_member'::regclass::oid::int, number::int) FROM outbox_member WHERE name = 'idle'");
            idle.commit();
            await(() -> relay.status().lanes().size() == 32);
            await(() -> !relay.health().up());
            assertThat(relay.health().reasons())
                    .singleElement()
                    .asString()
                    .startsWith("Some lanes have had no relay for ");
            statement.execute("DELETE FROM outbox_member WHERE name = 'idle'");
            idle.commit();
            await(() -> relay.health().up());
        }
    }

    private static boolean shared(List<Relay> relays) {
        Set<Integer> all = new HashSet<>();
        int even = 64 / relays.size();
        for (Relay relay : relays) {
            Set<Integer> lanes = relay.status().lanes();
            all.addAll(lanes);
            if (lanes.size() != even && lanes.size() != even + 1) {
                return false;
            }
        }
        return all.size() == 64;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }
}
