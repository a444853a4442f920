package io.sluice.benchmarks.load;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// One Java producer that sends as fast as it can.
///
/// Owned by the thread that runs it; the client's own thread only touches the counters.
public final class JavaProducerLoad implements BulkLoad {
    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final Values values;
    private final AtomicLong acknowledgedBytes = new AtomicLong();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    /// For clients that do not compress.
    public JavaProducerLoad(JavaClients clients, String topic, int valueBytes) {
        this(clients, topic, Values.noise(valueBytes));
    }

    public JavaProducerLoad(JavaClients clients, String topic, Values values) {
        this.topic = topic;
        this.values = values;
        producer =
                new KafkaProducer<>(
                        clients.producer(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /// Sends for this long and counts what was acknowledged meanwhile. What is in flight at the end goes on.
    @Override
    public Transfer runFor(Duration duration) {
        long before = acknowledgedBytes.get();
        long started = System.nanoTime();
        long deadline = started + duration.toNanos();
        while (System.nanoTime() < deadline) {
            send();
        }
        return since(before, started);
    }

    /// Sends this many bytes and waits until all of it is acknowledged.
    public Transfer sendAll(long bytes) {
        long before = acknowledgedBytes.get();
        long started = System.nanoTime();
        long sent = 0;
        while (sent < bytes) {
            sent += send();
        }
        producer.flush();
        return since(before, started);
    }

    private Transfer since(long before, long started) {
        Duration elapsed = Duration.ofNanos(System.nanoTime() - started);
        Exception failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("A send failed", failed);
        }
        return new Transfer(acknowledgedBytes.get() - before, elapsed);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The callback sees every result.
    private int send() {
        byte[] value = values.next();
        producer.send(
                new ProducerRecord<>(topic, value),
                (_, exception) -> acknowledged(value.length, exception));
        return value.length;
    }

    private void acknowledged(int bytes, @Nullable Exception exception) {
        if (exception == null) {
            acknowledgedBytes.addAndGet(bytes);
        } else {
            failure.compareAndSet(null, exception);
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(30));
    }
}
