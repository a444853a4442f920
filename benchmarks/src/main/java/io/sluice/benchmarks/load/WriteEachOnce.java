package io.sluice.benchmarks.load;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// Writes one message of 100 bytes to every partition of some topics and waits for all acknowledgements.
public final class WriteEachOnce {
    private WriteEachOnce() {}

    /// The topics are given with their numbers of partitions.
    public static void run(String bootstrap, Map<String, Integer> topics, Duration limit) {
        AtomicLong acknowledged = new AtomicLong();
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        byte[] value = new byte[100];
        int millis = (int) limit.toMillis();
        try (Producer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(
                                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap,
                                ProducerConfig.MAX_BLOCK_MS_CONFIG, (long) millis,
                                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, millis),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            topics.forEach(
                    (topic, partitions) -> {
                        for (int partition = 0; partition < partitions; partition++) {
                            send(
                                    producer,
                                    new ProducerRecord<>(topic, partition, null, value),
                                    acknowledged,
                                    failure);
                        }
                    });
            producer.flush();
        }
        long expected = topics.values().stream().mapToLong(partitions -> partitions).sum();
        if (acknowledged.get() != expected) {
            throw new IllegalStateException(
                    "Only %d of %d partitions took a message"
                            .formatted(acknowledged.get(), expected),
                    failure.get());
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The callback sees every result.
    private static void send(
            Producer<byte[], byte[]> producer,
            ProducerRecord<byte[], byte[]> record,
            AtomicLong acknowledged,
            AtomicReference<@Nullable Exception> failure) {
        producer.send(
                record,
                (_, exception) -> {
                    if (exception == null) {
                        acknowledged.incrementAndGet();
                    } else {
                        failure.compareAndSet(null, exception);
                    }
                });
    }
}
