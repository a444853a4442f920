package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

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

    /// Many lanes stop, and are tried again every 10 s.
    @Test
    @DisplayName("O5: a wrong setting is one error in the log, however many lanes wait for it")
    void aWrongSettingIsOneError(Database database, Broker broker) throws Exception {
        String wrong = "no topic of " + System.nanoTime();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        // Other tests may be about to begin with it.
        until(() -> LoggerFactory.getLogger("io.sluice.outbox") instanceof Logger);
        var logger = (Logger) LoggerFactory.getLogger("io.sluice.outbox");
        lines.start();
        logger.addAppender(lines);
        append(database);
        try (Relay relay = Relay.start(database, settings(broker, wrong))) {
            until(() -> relay.status().stopped().size() > 20);
            long polls = relay.status().polls();
            until(() -> relay.status().polls() > polls + 1); // It has been tried again.
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(List.copyOf(lines.list))
                .filteredOn(line -> line.getLevel() == Level.ERROR)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains(wrong))
                .singleElement()
                .asString()
                .contains("until the setting is changed");
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
