package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.CuttableLink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A relay that reaches the database but not the broker, beside one that reaches both.
@ExtendWith({Database.Extension.class, Broker.OfApacheKafka.class})
@ResourceLock(Broker.LINK)
@Timeout(180)
class CutOffTest {
    private static final int KEYS = 40;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    @Test
    @DisplayName("O6: a relay that never reached the broker takes no lanes; it joins when it does")
    void whoCannotReachTheBrokerDoesNotJoin(Database database, Broker broker, CuttableLink link)
            throws Exception {
        String topic = broker.topic();
        link.cut();
        try {
            Relay far = relay(database, topic, link.bootstrap(), Guarantee.AT_LEAST_ONCE);
            Relay near = relay(database, topic, broker.bootstrap(), Guarantee.AT_LEAST_ONCE);
            until(() -> !far.health().up() && near.status().lanes().size() == 64);
            TopicReader reader = opened(new TopicReader(broker, topic));
            append(database, 1);
            reader.await(KEYS);
            assertThat(far.status().lanes()).isEmpty();
            assertThat(far.health().reasons()).anyMatch(reason -> reason.contains("broker"));
            assertThat(database.number("SELECT count(*) FROM outbox_member")).isEqualTo(1);
            link.mend();
            until(() -> far.status().lanes().size() == 32 && far.health().up());
            append(database, 2);
            reader.await(2 * KEYS);
            assertThat(reader.byKey().values()).allMatch(List.of("1", "2")::equals);
        } finally {
            link.mend();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("O6: a relay that loses the broker leaves its lanes to others and comes back")
    void whoLosesTheBrokerLeavesTheLanesToOthers(
            Guarantee guarantee, Database database, Broker broker, CuttableLink link)
            throws Exception {
        String topic = broker.topic();
        try {
            Relay far = relay(database, topic, link.bootstrap(), guarantee);
            until(() -> far.status().lanes().size() == 64);
            Relay near = relay(database, topic, broker.bootstrap(), guarantee);
            until(() -> near.status().lanes().size() == 32 && far.status().lanes().size() == 32);
            TopicReader reader =
                    opened(
                            guarantee == Guarantee.EXACTLY_ONCE
                                    ? TopicReader.ofCommitted(broker, topic)
                                    : new TopicReader(broker, topic));
            append(database, 1);
            reader.await(KEYS);
            link.cut();
            append(database, 2);
            append(database, 3);
            reader.await(3 * KEYS);
            until(() -> near.status().lanes().size() == 64);
            assertThat(far.status().lanes()).isEmpty();
            assertThat(far.health().up()).isFalse();
            append(database, 4);
            reader.await(4 * KEYS);
            link.mend();
            until(() -> far.status().lanes().size() == 32 && far.health().up());
            append(database, 5);
            reader.await(5 * KEYS).linger(Duration.ofMillis(300));
            assertThat(reader.byKey().values())
                    .hasSize(KEYS)
                    .allMatch(List.of("1", "2", "3", "4", "5")::equals);
            if (guarantee == Guarantee.EXACTLY_ONCE) {
                assertThat(reader.repeated()).isZero();
            }
        } finally {
            link.mend();
        }
    }

    private Relay relay(Database database, String topic, String bootstrap, Guarantee guarantee) {
        Map<String, Object> impatient =
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "request.timeout.ms",
                        1_000,
                        "delivery.timeout.ms",
                        2_000,
                        "max.block.ms",
                        2_000);
        return opened(
                Relay.start(
                        database,
                        RelaySettings.of(topic, impatient)
                                .withName("relay at " + bootstrap)
                                .withGuarantee(guarantee)));
    }

    private <T extends AutoCloseable> T opened(T one) {
        open.add(one);
        return one;
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }

    private static void append(Database database, int number) {
        OutboxEvent[] events = new OutboxEvent[KEYS];
        for (int i = 0; i < KEYS; i++) {
            events[i] = OutboxEvent.of("account-" + i, "t", "" + number);
        }
        database.append(events);
    }
}
