package io.sluice.conformance;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Somebody else who uses the broker meanwhile: sends a message, waits until it can be read, and so on.
///
/// A thread of its own; the counters are for everyone.
final class HealthyClient implements AutoCloseable {
    private final Clients clients;
    private final String topic;
    private final AtomicLong roundTrips = new AtomicLong();
    private final Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    HealthyClient(Clients clients) {
        this.clients = clients;
        topic = clients.createTopic("healthy", 1);
        thread = Thread.ofPlatform().name("healthy-client").start(this::run);
    }

    private void run() {
        // No second try: a connection that the broker drops is a failure.
        Map<String, Object> impatient =
                Map.of(
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 600_000,
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 600_000,
                        ProducerConfig.LINGER_MS_CONFIG, 0,
                        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false,
                        ProducerConfig.RETRIES_CONFIG, 0);
        try (Producer<String, String> producer = clients.producer(impatient);
                Consumer<String, String> consumer = clients.consumer(Map.of())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            while (!stopping) {
                String value = Long.toString(roundTrips.get());
                producer.send(new ProducerRecord<>(topic, value)).get(15, TimeUnit.MINUTES);
                String back = Clients.read(consumer, 1).getFirst().value();
                if (!back.equals(value)) {
                    throw new AssertionError("Sent " + value + " and read " + back);
                }
                roundTrips.incrementAndGet();
                Thread.sleep(Duration.ofMillis(5));
            }
        } catch (Throwable thrown) {
            if (!stopping) {
                failure = thrown;
            }
        }
    }

    /// Fails unless this client has had no trouble so far and is served again from now on.
    void assertServed() {
        long before = roundTrips.get();
        Eventually.holds(
                () -> "round trips: " + roundTrips.get() + ", failure: " + failure,
                () -> failure != null || roundTrips.get() >= before + 3);
        if (failure != null) {
            throw new AssertionError("The healthy client was not served", failure);
        }
    }

    @Override
    public void close() {
        stopping = true;
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
