package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
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
    private static final String OTHERS = "FROM outbox_member WHERE outbox = ? AND number <> ?";

    /// Once a second for the ten seconds for which it stays outside in any case, and then where it would join.
    private static final int LOOKS = 13;

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

    @Test
    @DisplayName(
            "O6: exactly-once at a broker without transactions is a wrong setting, and is named")
    void whoAsksForTransactionsWhereThereAreNoneTakesNoLanes(Database database, Broker broker)
            throws Exception {
        assumeTrue(Broker.which() == Broker.Kind.SLUICE, "skipped: Apache Kafka has transactions");
        String topic = broker.topic();
        try (Relay good = Relay.start(database, settings(broker, topic));
                TopicReader reader = new TopicReader(broker, topic)) {
            until(() -> good.status().lanes().size() == 64);
            RelaySettings exactlyOnce =
                    settings(broker, topic).withGuarantee(Guarantee.EXACTLY_ONCE);
            try (Relay wrong = Relay.start(database, exactlyOnce)) {
                until(() -> !wrong.health().up());
                append(database);
                reader.await(KEYS);
                assertThat(wrong.health().reasons())
                        .anyMatch(reason -> reason.contains("the broker has no transactions"));
                assertThat(database.number("SELECT max(number) FROM outbox_member")).isEqualTo(1);
            }
        }
        append(database);
        try (Relay alone =
                Relay.start(
                        database, settings(broker, topic).withGuarantee(Guarantee.EXACTLY_ONCE))) {
            until(() -> !alone.status().stopped().isEmpty());
            assertThat(alone.status().stopped().values())
                    .allMatch(reason -> reason.contains("the broker has no transactions"));
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

    /// Otherwise lanes would change hands all the time, with an alarm for each. Whoever is outside asks now and then whether somebody has them; while the machine does not
    /// stand still for as long as a lease, nothing comes of that.
    @Test
    @DisplayName("O6: where a setting is wrong for all, one relay keeps the lanes")
    void whereTheSettingIsWrongForAllOneOfThemHasTheLanes(Database database, Broker broker)
            throws Exception {
        append(database);
        Looks firsts = new Looks(database);
        Looks seconds = new Looks(database);
        try (Relay first = Relay.start(firsts, settings(broker, WRONG));
                Relay second = Relay.start(seconds, settings(broker, WRONG))) {
            database.run(
                    """
                    CREATE TABLE seats (change bigint GENERATED ALWAYS AS IDENTITY, what text, lapsed boolean);
                    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                      INSERT INTO seats (what, lapsed) VALUES (TG_OP, TG_OP = 'DELETE' AND OLD.until < clock_timestamp()); RETURN NULL; END $$;
                    CREATE TRIGGER note AFTER INSERT OR DELETE ON outbox_member FOR EACH ROW EXECUTE FUNCTION note()
                    """);
            List<String> changes;
            do {
                Looks outside = awaitOneOutside(database, first, firsts, second, seconds);
                long before = database.number("SELECT coalesce(max(change), 0) FROM seats");
                int enough = outside.count() + LOOKS;
                until(() -> outside.count() >= enough || !changes(database, before).isEmpty());
                changes = changes(database, before);
            } while (changes.contains("DELETE lapsed"));
            assertThat(changes).as("seats taken and given up while one has the lanes").isEmpty();
            assertThat(first.health().up()).isFalse();
            assertThat(second.health().up()).isFalse();
        }
    }

    /// One has all lanes and the other has asked since, so that it has not made up its mind before.
    ///
    /// @return the looks of the other one
    private static Looks awaitOneOutside(
            Database database, Relay first, Looks firsts, Relay second, Looks seconds)
            throws InterruptedException {
        while (true) {
            until(() -> hasAll(first) != hasAll(second) && members(database) == 1);
            Relay inside = hasAll(first) ? first : second;
            Looks outside = inside.equals(first) ? seconds : firsts;
            int before = outside.count();
            until(() -> outside.count() > before || !hasAll(inside));
            if (hasAll(inside)) {
                return outside;
            }
        }
    }

    private static List<String> changes(Database database, long before) {
        return database.column(
                "SELECT what || CASE WHEN lapsed THEN ' lapsed' ELSE '' END FROM seats WHERE change > "
                        + before);
    }

    /// It has tried them, and found nobody who might have more luck.
    private static boolean hasAll(Relay relay) {
        return relay.status().lanes().size() == 64 && relay.status().stopped().size() > 1;
    }

    private static long members(Database database) {
        return database.number("SELECT count(*) FROM outbox_member");
    }

    /// How often a relay has asked whether there are other members.
    private static final class Looks implements ConnectionSource {
        private final ConnectionSource database;
        private final AtomicInteger count = new AtomicInteger();

        Looks(ConnectionSource database) {
            this.database = database;
        }

        int count() {
            return count.get();
        }

        @Override
        public Connection open() throws SQLException {
            Connection real = database.open();
            return (Connection)
                    Proxy.newProxyInstance(
                            Looks.class.getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (_, method, arguments) -> {
                                if (method.getName().equals("prepareStatement")
                                        && String.valueOf(arguments[0]).contains(OTHERS)) {
                                    count.incrementAndGet();
                                }
                                try {
                                    return method.invoke(real, arguments);
                                } catch (InvocationTargetException e) {
                                    throw e.getCause() == null ? e : e.getCause();
                                }
                            });
        }
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
