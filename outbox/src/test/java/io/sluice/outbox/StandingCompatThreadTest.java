package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.compat.CompatRelay;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// The thread that sends stands still in somebody's code, and the session that holds the lock of its part is as good as ever.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class StandingCompatThreadTest {
    private static final CountDownLatch GOES_ON = new CountDownLatch(1);
    private static final int EVENTS = 10;

    /// Waits for a service, for example.
    public static final class StandsStill implements ProducerInterceptor<byte[], byte[]> {
        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            try {
                GOES_ON.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return record;
        }

        @Override
        public void onAcknowledgement(
                @Nullable RecordMetadata metadata, @Nullable Exception exception) {}

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> settings) {}
    }

    @Test
    @DisplayName("O5, O6: an instance whose thread stands still loses its part, and sends no more")
    void othersGetItsPart(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        Map<String, Object> blocking = Map.of("interceptor.classes", StandsStill.class.getName());
        Map<String, String> quickly = Map.of("timeoutSeconds", "1");
        try (CompatRelay _ = CompatRelays.start(database, broker, topic, blocking, quickly);
                TopicReader reader = new TopicReader(broker, topic)) {
            DocumentsTable.insert(database, EVENTS);
            reader.awaitUntil(
                    () -> DocumentsTable.count(database, "SENDING") == EVENTS, "it to stand still");
            try (CompatRelay other =
                    CompatRelays.start(database, broker, topic, Map.of(), quickly)) {
                reader.await(EVENTS)
                        .awaitUntil(() -> other.published() == EVENTS, "all to be marked");
                GOES_ON.countDown();
                reader.linger(Duration.ofSeconds(2));
                assertThat(reader.records()).hasSize(EVENTS);
            }
        } finally {
            GOES_ON.countDown();
        }
    }
}
