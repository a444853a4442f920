package io.sluice.outbox.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Something makes every producer's thread stand still: an interceptor that waits for a service, for example.
@Timeout(60)
class LeftBehindTest {
    private static final List<Numbered> EVENTS =
            List.of(
                    new Numbered(
                            new Event(1, 0, "1", "key", Map.of(), Event.Payload.of("x"), 0), 1));

    private final List<StandsStill> producers = new ArrayList<>();
    private final Publisher publisher =
            new Publisher(
                    "topic",
                    event -> Headers.numbered("topic", event),
                    Map.of(),
                    () -> true,
                    settings -> {
                        producers.add(new StandsStill());
                        return producers.getLast();
                    },
                    new LeftBehind(Duration.ofMillis(20)));

    @AfterEach
    void close() {
        publisher.close();
        producers.forEach(each -> each.goesOn.countDown());
    }

    @Test
    void fromAFewOnNoOtherProducerIsMadeBeforeOneHasEnded() throws Exception {
        for (int i = 1; i <= LeftBehind.MOST; i++) {
            int made = i;
            publisher.publish(EVENTS, () -> producers.size() < made || !hasEvent());
            assertThat(producers).hasSize(made);
        }
        Outcome outcome = publisher.publish(EVENTS, () -> true);
        assertThat(outcome.acknowledged()).isEmpty();
        assertThat(outcome.refused())
                .hasValueSatisfying(
                        refused -> {
                            assertThat(refused.event()).isEqualTo(EVENTS.getFirst());
                            assertThat(refused.why()).isInstanceOf(Refusal.Transport.class);
                            assertThat(refused.why().reason())
                                    .contains("3 producers stand still", "interceptor", "remove");
                        });
        assertThat(publisher.prepare()).get().isInstanceOf(Refusal.Transport.class);
        assertThat(producers).hasSize(LeftBehind.MOST);
        producers.get(1).goesOn.countDown();
        while (publisher.prepare().isPresent()) {
            Thread.onSpinWait();
        }
        assertThat(producers).hasSize(LeftBehind.MOST + 1);
    }

    private boolean hasEvent() {
        return !producers.getLast().history().isEmpty();
    }

    /// To close it is to wait for its thread.
    private static final class StandsStill extends MockProducer<byte[], byte[]> {
        final CountDownLatch goesOn = new CountDownLatch(1);

        StandsStill() {
            super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public void close(Duration timeout) {
            try {
                goesOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
