package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Instances of compat mode with different totals: by mistake, or since the total is being changed.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(180)
class ChangingTotalTest {
    private static final int EVENTS = 30;

    /// Between any two steps events are written, and all are published before the next.
    @Test
    @DisplayName(
            "O2, O4, O5: three become five, restarted one by one: nobody stops, each event comes once")
    void theTotalIsChangedOneByOne(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        Queue<CompatRelay> old = new ArrayDeque<>();
        List<CompatRelay> changed = new ArrayList<>();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            for (int id = 0; id < 3; id++) {
                old.add(relay(database, broker, topic, id, 3));
            }
            publishes(database);
            changed.add(relay(database, broker, topic, 3, 5));
            await(
                    () ->
                            old.stream()
                                    .allMatch(
                                            relay -> says(relay, "those with 3 go on, this one")));
            await(() -> says(changed.getFirst(), "instance 2 says 3, instance 3 says 5"));
            publishes(database);
            for (int id = 0; id < 2; id++) {
                old.remove().close();
                CompatRelay restarted = relay(database, broker, topic, id, 5);
                changed.add(restarted);
                await(() -> says(restarted, "those with 3 go on, this one claims nothing"));
                publishes(database);
                publishes(database); // Also with what was adopted for the first of them.
                assertThat(changed).extracting(CompatRelay::published).containsOnly(0L);
            }
            old.remove().close();
            publishes(database);
            changed.add(relay(database, broker, topic, 2, 5));
            changed.add(relay(database, broker, topic, 4, 5));
            await(() -> changed.stream().allMatch(relay -> relay.trouble() == null));
            publishes(database);
            long written = database.number("SELECT count(*) FROM transfer_events");
            reader.await((int) written);
            assertThat(reader.records())
                    .extracting(record -> TopicReader.header(record, "outbox-event-id"))
                    .hasSize((int) written)
                    .doesNotHaveDuplicates();
        } finally {
            old.forEach(CompatRelay::close);
            changed.forEach(CompatRelay::close);
        }
    }

    /// Of two alone one may be the first, and work: here there is another one before them.
    @Test
    @DisplayName(
            "O5: two who disagree from the start claim nothing, say so, and one goes on when it is alone")
    void whoDisagreesFromTheStartClaimsNothing(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        CompatRelay before = relay(database, broker, topic, 6, 7);
        await(() -> before.emptyPolls() > 0);
        var threesMeters = new SimpleMeterRegistry();
        var fivesMeters = new SimpleMeterRegistry();
        try (CompatRelay three = relay(database, broker, topic, 0, 3, threesMeters)) {
            try (CompatRelay five = relay(database, broker, topic, 1, 5, fivesMeters)) {
                await(() -> says(three, "those with 7 go on, this one claims nothing"));
                await(() -> says(five, "those with 7 go on, this one claims nothing"));
                before.close();
                DocumentsTable.insert(database, EVENTS);
                String both =
                        "[3, 5], depending on whom you ask (instance 0 says 3, instance 1 says 5)";
                await(() -> says(three, both + "; nothing is claimed"));
                await(() -> says(five, both + "; nothing is claimed"));
                double threeAsked = asked(threesMeters);
                double fiveAsked = asked(fivesMeters);
                await(
                        () ->
                                asked(threesMeters) > threeAsked + 10
                                        && asked(fivesMeters) > fiveAsked + 10);
                assertThat(DocumentsTable.count(database, "PENDING")).isEqualTo(EVENTS);
                assertThat(three.published() + five.published()).isZero();
                assertThat(threesMeters.get("outbox.parts").gauge().value()).isZero();
                assertThat(threesMeters.get("outbox.parts.uncovered").gauge().value()).isEqualTo(3);
            }
            await(() -> three.published() == EVENTS); // The missing instances' parts, too.
            assertThat(three.trouble()).isNull();
        }
    }

    private static double asked(SimpleMeterRegistry meters) {
        return meters.get("outbox.statements").functionCounter().count();
    }

    private static void publishes(Database database) throws InterruptedException {
        DocumentsTable.insert(database, EVENTS);
        await(() -> DocumentsTable.count(database, "PENDING") == 0);
        await(() -> DocumentsTable.count(database, "SENDING") == 0);
    }

    private static CompatRelay relay(
            Database database, Broker broker, String topic, int id, int total) {
        return CompatRelays.start(database, broker, topic, id, total, Map.of(), Map.of());
    }

    private static CompatRelay relay(
            Database database,
            Broker broker,
            String topic,
            int id,
            int total,
            SimpleMeterRegistry meters) {
        return CompatRelay.start(
                database,
                OutboxTable.TRANSFER_EVENTS,
                topic,
                broker.client(),
                CompatSettings.of(
                        CompatProcess.environment(id, total),
                        Map.of(CompatSettings.PREFIX + "fixedDelayMs", "50")),
                meters);
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
