package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.publishing.Sender;
import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class SendersTest {
    private static final CountDownLatch GOES_ON = new CountDownLatch(1);
    private static final AtomicInteger STANDING = new AtomicInteger();

    public static final class StandsStill implements ProducerInterceptor<byte[], byte[]> {
        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            return record;
        }

        @Override
        public void onAcknowledgement(
                @Nullable RecordMetadata metadata, @Nullable Exception exception) {
            STANDING.incrementAndGet();
            try {
                GOES_ON.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> settings) {}
    }

    /// A relay that was short of memory takes a new sender; the producers that stand still keep theirs, and may be why it was short.
    @Test
    void producersThatStandStillAreCountedForTheRelay(Database database, Broker broker)
            throws Exception {
        Map<String, Object> producer = new HashMap<>(broker.client());
        producer.put("interceptor.classes", StandsStill.class.getName());
        Event event = new Event(1, 0, "1", "key", Map.of(), Event.Payload.of("x"), 0);
        Senders senders = new Senders(RelaySettings.of(broker.topic(), producer), () -> true);
        try (Connection connection = database.open()) {
            for (int i = 1; i <= 3; i++) {
                int standing = i;
                Sender sender = senders.of(connection);
                sender.publish(List.of(new Numbered(event, i)), () -> STANDING.get() < standing);
                senders.close();
            }
            assertThat(senders.of(connection).prepare())
                    .hasValueSatisfying(
                            refusal ->
                                    assertThat(refusal.reason())
                                            .contains("3 producers stand still"));
        } finally {
            GOES_ON.countDown();
            senders.close();
        }
    }
}
