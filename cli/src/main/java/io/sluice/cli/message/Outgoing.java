package io.sluice.cli.message;

import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/// A message to be sent, before it has a topic. What is null is left to the broker or the partitioner.
///
/// Immutable as long as nobody writes into the arrays.
///
final class Outgoing {
    private final byte @Nullable [] key;
    private final byte @Nullable [] value;
    private final Map<String, byte @Nullable []> headers;
    private final @Nullable Integer partition;
    private final @Nullable Long timestampMillis;

    Outgoing(
            byte @Nullable [] key,
            byte @Nullable [] value,
            Map<String, byte @Nullable []> headers,
            @Nullable Integer partition,
            @Nullable Long timestampMillis) {
        this.key = key;
        this.value = value;
        this.headers = headers;
        this.partition = partition;
        this.timestampMillis = timestampMillis;
    }

    @Nullable Integer partition() {
        return partition;
    }

    @SuppressWarnings(
            "NullAway") // kafka-clients takes null for "not given", without annotations that say so
    ProducerRecord<byte[], byte[]> to(String topic) {
        var message = new ProducerRecord<>(topic, partition, timestampMillis, key, value);
        headers.forEach(message.headers()::add);
        return message;
    }
}
