package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// How many statements it takes to publish what was committed at once.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class StatementsTest {
    private static final int PAGE_BYTES = 16 << 20;

    @Test
    @DisplayName("O7: 10,000 events, 3 relays, pages of 1,000: at most 20 statements")
    void aFewPagesTakeAStatementEach(Database database, Broker broker) throws Exception {
        RelaySettings settings =
                RelaySettings.of(broker.topic(), broker.client()).withPage(1_000, PAGE_BYTES);
        List<Relay> relays = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                relays.add(Relay.start(database, settings.withName("relay-" + i)));
            }
            while (relays.stream().anyMatch(relay -> !hasItsShare(relay))) {
                Thread.sleep(20);
            }
            publish(database, relays, 3_000); // Plans are made, and the bell is attended to.
            long before = statements(relays);
            publish(database, relays, 10_000);
            assertThat(statements(relays) - before).isLessThanOrEqualTo(20);
            assertEachOnce(broker, settings.topic(), 13_000);
        } finally {
            relays.forEach(Relay::close);
        }
    }

    /// Sorted once; each page is fetched in two halves, since a fetch has a bound in rows, and saved.
    @Test
    void manyPagesTakeThreeStatementsEach(Database database, Broker broker) throws Exception {
        RelaySettings settings =
                RelaySettings.of(broker.topic(), broker.client()).withPage(1_000, PAGE_BYTES);
        try (Relay relay = Relay.start(database, settings)) {
            while (relay.status().lanes().size() < 64) {
                Thread.sleep(20);
            }
            publish(database, List.of(relay), 3_000);
            long before = relay.status().statements();
            publish(database, List.of(relay), 40_000);
            assertThat(relay.status().statements() - before).isBetween(80L, 40 * 3 + 12L);
            assertEachOnce(broker, settings.topic(), 43_000);
        }
    }

    /// Pages follow each other without waiting for answers, and none is sent again.
    private static void assertEachOnce(Broker broker, String topic, int events) {
        try (TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(events).linger(Duration.ofMillis(200));
            assertThat(reader.records()).hasSize(events);
            assertThat(reader.repeated()).isZero();
        }
    }

    private static boolean hasItsShare(Relay relay) {
        int lanes = relay.status().lanes().size();
        return lanes == 21 || lanes == 22;
    }

    private static void publish(Database database, List<Relay> relays, int events)
            throws InterruptedException {
        long before = published(relays);
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'account-' || i %% 997, repeat('x', 200) FROM generate_series(1, %d) AS i"
                        .formatted(events));
        while (published(relays) < before + events) {
            Thread.sleep(10);
        }
        long statements = statements(relays);
        long since = System.nanoTime();
        while (System.nanoTime() - since < 1_000_000_000) { // Until they sleep.
            Thread.sleep(20);
            if (statements(relays) != statements) {
                statements = statements(relays);
                since = System.nanoTime();
            }
        }
    }

    private static long published(List<Relay> relays) {
        return relays.stream().mapToLong(relay -> relay.status().published()).sum();
    }

    private static long statements(List<Relay> relays) {
        return relays.stream().mapToLong(relay -> relay.status().statements()).sum();
    }
}
