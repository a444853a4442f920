package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// An error ends the producer's own thread, which tells nobody: what it was given is never answered.
@ParameterizedClass(name = "it stands still instead: {0}")
@ValueSource(booleans = {false, true})
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Execution(ExecutionMode.SAME_THREAD)
@Timeout(120)
class DyingProducerTest {
    private static final AtomicBoolean DIE = new AtomicBoolean();
    private static final AtomicReference<@Nullable CountDownLatch> STILL = new AtomicReference<>();

    /// Where kafka-clients calls others on that thread it expects exceptions only.
    public static final class Deadly implements ProducerInterceptor<byte[], byte[]> {
        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            return record;
        }

        @Override
        public void onAcknowledgement(
                @Nullable RecordMetadata metadata, @Nullable Exception exception) {
            if (DIE.compareAndSet(true, false)) {
                CountDownLatch still = STILL.get();
                if (still == null) {
                    throw new OutOfMemoryError("for a test");
                }
                standStill(still);
            }
        }

        private static void standStill(CountDownLatch until) {
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> settings) {}
    }

    /// Whether its thread stands still instead, for whatever reason. It never ends then, and whoever waited for that would stand still, too.
    @Parameter boolean standsStill;

    @BeforeEach
    void arm() {
        STILL.set(standsStill ? new CountDownLatch(1) : null);
        DIE.set(true);
    }

    @AfterEach
    void goOn() {
        CountDownLatch still = STILL.getAndSet(null);
        if (still != null) {
            still.countDown();
        }
    }

    @Test
    @DisplayName("O6: a producer whose thread has ended, or stands still, is replaced")
    void whatIsNeverAnsweredIsSentAgain(Database database, Broker broker) {
        String topic = broker.topic();
        RelaySettings settings = RelaySettings.of(topic, deadly(broker));
        database.append(OutboxEvent.of("a", "t", "1"));
        try (Relay relay = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(1).awaitUntil(() -> relay.status().published() == 1, "its own count");
            assertThat(DIE).isFalse();
            assertThat(relay.health().up()).isTrue();
        }
    }

    @Test
    void alsoInCompatMode(Database database, Broker broker) {
        String topic = broker.topic();
        database.run("SELECT outbox_new_rows('transfer_events', 'PENDING')");
        database.append(OutboxEvent.of("a", "t", "1"));
        CompatSettings settings =
                CompatSettings.of(
                        Map.of(),
                        Map.of(
                                "app.outbox.relay.timeoutSeconds",
                                "1",
                                "app.outbox.relay.baseBackoffMs",
                                "100"));
        try (CompatRelay relay =
                        CompatRelay.start(
                                database,
                                OutboxTable.TRANSFER_EVENTS,
                                topic,
                                deadly(broker),
                                settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(1).awaitUntil(() -> relay.published() == 1, "its own count");
            assertThat(DIE).isFalse();
        }
    }

    private static Map<String, Object> deadly(Broker broker) {
        Map<String, Object> settings = new HashMap<>(broker.client());
        settings.put("interceptor.classes", Deadly.class.getName());
        settings.put("request.timeout.ms", 500);
        settings.put("delivery.timeout.ms", 1_000);
        settings.put("max.block.ms", 1_000);
        return settings;
    }
}
