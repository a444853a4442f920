package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Meters of relays that share a registry, and of compat mode.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class RelayMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void relaysOfOneRegistryAreToldApart(Database database, Broker broker) throws Exception {
        RelaySettings settings = RelaySettings.of(broker.topic(), broker.client()).withName("one");
        try (Relay first = Relay.start(database, settings, registry)) {
            await(() -> first.status().lanes().size() == 64);
            try (Relay second = Relay.start(database, settings, registry)) {
                await(() -> lanes("one") == 32 && lanes("one-2") == 32);
                for (int i = 0; i < 40; i++) {
                    database.append(OutboxEvent.of("a" + i, "t", "1"));
                }
                await(() -> first.status().published() + second.status().published() == 40);
                assertThat(published("one")).isEqualTo(first.status().published()).isPositive();
                assertThat(published("one-2")).isEqualTo(second.status().published()).isPositive();
            }
            assertThat(registry.find("outbox.lanes").gauges()).hasSize(1);
            await(() -> lanes("one") == 64);
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void aRelayThatIsStartedAgainTakesThePlaceOfTheOneBefore(Database database, Broker broker)
            throws Exception {
        RelaySettings settings = RelaySettings.of(broker.topic(), broker.client()).withName("one");
        for (int round = 0; round < 2; round++) {
            database.append(OutboxEvent.of("a", "t", "1"));
            try (Relay _ = Relay.start(database, settings, registry)) {
                await(() -> published("one") == 1);
            }
        }
    }

    @Test
    void whatWaitsForASettingIsMeasured(Database database, Broker broker) throws Exception {
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload, created_at) VALUES ('a', '1', now() - interval '1 h')");
        Map<String, Object> producer = new HashMap<>(broker.client());
        producer.put("max.block.ms", 1_000);
        try (Relay relay =
                Relay.start(database, RelaySettings.of("no topic", producer), registry)) {
            await(() -> gauge("outbox.lanes.stopped") == 1);
            assertThat(gauge("outbox.lanes")).isEqualTo(64);
            long polls = relay.status().polls();
            await(() -> relay.status().polls() > polls + 1); // The other lanes have nothing.
            assertThat(gauge("outbox.oldest.seconds")).isGreaterThanOrEqualTo(3_600);
            long before = relay.status().statements();
            assertThat(before).isPositive();
            assertThat(count("outbox.statements"))
                    .isBetween((double) before, (double) relay.status().statements() + 1);
        }
    }

    @Test
    void whatIsParkedIsMeasured(Database database, Broker broker) throws Exception {
        Map<String, Object> producer = new HashMap<>(broker.client());
        producer.put("max.request.size", 50_000);
        RelaySettings settings = RelaySettings.of(broker.topic(), producer);
        try (Relay relay = Relay.start(database, settings, registry)) {
            for (String key : List.of("large", "larger")) {
                database.append(OutboxEvent.of(key, "t", "x".repeat(60_000)));
                database.append(OutboxEvent.of(key, "t", "behind it"));
            }
            database.append(OutboxEvent.of("small", "t", "1"));
            await(() -> relay.status().published() == 1 && gauge("outbox.keys.parked") == 2);
            await(() -> gauge("outbox.oldest.seconds") == 0);
            assertThat(gauge("outbox.lanes.stopped")).isZero();
            assertThat(count("outbox.events.parked")).isBetween(2.0, 4.0);
        }
    }

    @Test
    void compatModeHasMeters(Database database, Broker broker) throws Exception {
        database.run("ALTER TABLE transfer_events ALTER status SET DEFAULT 'PENDING'");
        database.run("DROP TRIGGER outbox_status ON transfer_events");
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload, created_at) SELECT 'a' || i, '1', now() - interval '1 h' FROM generate_series(1, 10) i");
        CompatSettings settings =
                CompatSettings.of(
                        Map.of("RELAY_INSTANCE_ID", "1", "RELAY_TOTAL_INSTANCES", "2"),
                        Map.of("app.outbox.relay.fixedDelayMs", "50"));
        try (CompatRelay relay =
                CompatRelay.start(
                        database,
                        OutboxTable.TRANSFER_EVENTS,
                        broker.topic(),
                        broker.client(),
                        settings,
                        registry)) {
            await(() -> published("relay-1") == 10); // The other's part, too, as nobody has it.
            assertThat(gauge("outbox.parts")).isEqualTo(2);
            assertThat(gauge("outbox.parts.uncovered")).isZero();
            var latency = registry.get("outbox.latency").timer();
            assertThat(latency.count()).isEqualTo(10);
            assertThat(latency.mean(TimeUnit.MINUTES)).isGreaterThan(59);
            await(() -> relay.emptyPolls() > 0 && gauge("outbox.oldest.seconds") == 0);
            assertThat(count("outbox.polls.empty")).isPositive();
            assertThat(count("outbox.statements")).isGreaterThan(count("outbox.polls"));
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    private long published(String relay) {
        FunctionCounter counter =
                registry.find("outbox.events").tag("relay", relay).functionCounter();
        return counter == null ? -1 : (long) counter.count();
    }

    private double lanes(String relay) {
        return registry.get("outbox.lanes").tag("relay", relay).gauge().value();
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private double count(String name) {
        return registry.get(name).functionCounter().count();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }
}
