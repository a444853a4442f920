package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Relays from which the broker takes nothing until somebody changes a setting.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class WrongSettingTest {
    private static final int KEYS = 40;
    private static final String WRONG = "no topic of this name!";

    @Test
    @DisplayName("O6: a relay with a wrong setting does not join beside others")
    void whoseSettingIsWrongTakesNoLanesFromOthers(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        try (Relay good = Relay.start(database, settings(broker, topic));
                TopicReader reader = new TopicReader(broker, topic)) {
            until(() -> good.status().lanes().size() == 64);
            try (Relay wrong = Relay.start(database, settings(broker, WRONG))) {
                until(() -> !wrong.health().up());
                append(database);
                reader.await(KEYS);
                assertThat(wrong.health().reasons())
                        .anyMatch(reason -> reason.contains("InvalidTopicException"));
                assertThat(database.number("SELECT max(number) FROM outbox_member")).isEqualTo(1);
            }
        }
    }

    @Test
    @DisplayName("O6: a relay with a wrong setting leaves when others come")
    void whoIsRefusedLeavesTheLanesToOthers(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        append(database);
        try (Relay wrong = Relay.start(database, settings(broker, WRONG))) {
            until(() -> wrong.status().stopped().size() > 1);
            assertThat(wrong.status().lanes()).as("nobody else wants them").hasSize(64);
            try (Relay good = Relay.start(database, settings(broker, topic));
                    TopicReader reader = new TopicReader(broker, topic)) {
                reader.await(KEYS);
                until(() -> good.status().lanes().size() == 64);
                assertThat(wrong.health().reasons())
                        .anyMatch(reason -> reason.contains("other relays have the lanes"));
            }
            until(() -> wrong.status().lanes().size() == 64);
        }
    }

    /// Otherwise lanes would change hands all the time, with an alarm for each.
    @Test
    void whereTheSettingIsWrongForAllOneOfThemHasTheLanes(Database database, Broker broker)
            throws Exception {
        append(database);
        try (Relay first = Relay.start(database, settings(broker, WRONG));
                Relay second = Relay.start(database, settings(broker, WRONG))) {
            until(
                    () ->
                            first.status().stopped().size() + second.status().stopped().size() > 1
                                    && members(database) == 1);
            long joined = database.number("SELECT max(number) FROM outbox_member");
            Thread.sleep(5_000); // Nothing shall happen meanwhile.
            assertThat(database.number("SELECT max(number) FROM outbox_member"))
                    .as("a machine that stands still for a lease's time may cost one change")
                    .isBetween(joined, joined + 1);
            assertThat(first.health().up()).isFalse();
            assertThat(second.health().up()).isFalse();
        }
    }

    private static long members(Database database) {
        return database.number("SELECT count(*) FROM outbox_member");
    }

    private static RelaySettings settings(Broker broker, String topic) {
        Map<String, Object> producer = new HashMap<>(broker.client());
        producer.put("max.block.ms", 1_000);
        return RelaySettings.of(topic, producer);
    }

    private static void append(Database database) {
        OutboxEvent[] events = new OutboxEvent[KEYS];
        for (int i = 0; i < KEYS; i++) {
            events[i] = OutboxEvent.of("account-" + i, "t", "1");
        }
        database.append(events);
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }
}
