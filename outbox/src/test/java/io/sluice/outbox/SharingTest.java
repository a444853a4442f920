package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

    /// They wait for each other's sessions to end, for days as a rule. A statement that lasts for so long would keep vacuum from removing anything in
    /// the whole database.
    @Test
    void relaysThatWatchEachOtherKeepNothingFromVacuum(Database database, Broker broker)
            throws Exception {
        String name = "watch_" + database.column("SELECT current_schema()").getFirst();
        Database named = new Database(database.url() + "&ApplicationName=" + name);
        RelaySettings settings = RelaySettings.of(broker.topic(), broker.client());
        try (Relay first = Relay.start(named, settings);
                Relay second = Relay.start(named, settings)) {
            await(() -> shared(List.of(first, second)));
            String watching =
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = '%s' AND wait_event_type = 'Lock' AND wait_event = 'advisory'"
                            .formatted(name);
            await(() -> database.number(watching) == 2);
            long now = database.number("SELECT pg_current_xact_id()");
            await(
                    () ->
                            database.number(
                                            "SELECT count(*) FROM pg_stat_activity WHERE application_name = '%s' AND backend_xmin::text::bigint <= %d"
                                                    .formatted(name, now))
                                    == 0);
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

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }
}
