package io.sluice.benchmarks.load;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// Sends at a fixed rate and takes the time until a consumer in the same JVM has the message.
///
/// A message's time starts when the schedule wanted it sent, not when the sender got round to it. So a stall is charged to every message that it
/// held up (no coordinated omission).
///
/// The caller's thread sends; a thread of its own receives and alone touches the histogram until it has ended.
public final class EndToEndLoad {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration DRAIN_LIMIT = Duration.ofSeconds(30);
    private static final long SPIN_BELOW_NANOS = 60_000;

    private final JavaClients clients;
    private final TopicPartition partition;
    private final int valueBytes;
    private final int perSecond;

    public EndToEndLoad(JavaClients clients, String topic, int valueBytes, int perSecond) {
        this.clients = clients;
        partition = new TopicPartition(topic, 0);
        this.valueBytes = valueBytes;
        this.perSecond = perSecond;
    }

    /// Runs the warm-up and then the measurement without a break, and returns the latencies of the messages that were due in the measurement.
    public Histogram run(Duration warmUp, Duration measured) {
        long warmUpMessages = warmUp.toMillis() * perSecond / 1000;
        long messages = warmUpMessages + measured.toMillis() * perSecond / 1000;
        Receiver receiver = new Receiver(messages, warmUpMessages);
        Thread thread = Thread.ofPlatform().name("end-to-end-receiver").start(receiver);
        try (Producer<byte[], byte[]> producer = producer()) {
            send(producer, messages, receiver);
            producer.flush();
            if (!thread.join(DRAIN_LIMIT)) {
                receiver.giveUp();
            }
            thread.join();
        } catch (InterruptedException interrupted) {
            receiver.giveUp();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while measuring latency", interrupted);
        }
        return receiver.result();
    }

    private void send(Producer<byte[], byte[]> producer, long messages, Receiver receiver)
            throws InterruptedException {
        receiver.awaitReady();
        double intervalNanos = 1e9 / perSecond;
        long started = System.nanoTime();
        for (long message = 0; message < messages; message++) {
            long due = started + (long) (message * intervalNanos);
            awaitNanoTime(due);
            send(producer, due, message);
            receiver.throwIfFailed();
        }
    }

    @SuppressWarnings(
            "FutureReturnValueIgnored") // A message that does not arrive is noticed by the
    // receiver.
    private void send(Producer<byte[], byte[]> producer, long due, long message) {
        byte[] value = new byte[valueBytes];
        ByteBuffer.wrap(value).putLong(due).putLong(message);
        producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), null, value));
    }

    /// Sleeps as far as sleeping is exact, and spins the rest: on two cores the spinning must be short.
    private static void awaitNanoTime(long due) {
        long left = due - System.nanoTime();
        while (left > 0) {
            if (left > SPIN_BELOW_NANOS) {
                LockSupport.parkNanos(left - SPIN_BELOW_NANOS);
            } else {
                Thread.onSpinWait();
            }
            left = due - System.nanoTime();
        }
    }

    private Producer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                clients.producer(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /// Reads from the end of the partition on and notes how late each message is.
    private final class Receiver implements Runnable {
        private final Histogram latencyNanos = new Histogram(Duration.ofMinutes(2).toNanos(), 3);
        private final java.util.concurrent.CountDownLatch ready =
                new java.util.concurrent.CountDownLatch(1);
        private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
        private final long messages;
        private final long warmUpMessages;
        private volatile boolean givenUp;
        private long received;

        Receiver(long messages, long warmUpMessages) {
            this.messages = messages;
            this.warmUpMessages = warmUpMessages;
        }

        @Override
        public void run() {
            try (Consumer<byte[], byte[]> consumer = consumer()) {
                consumer.assign(List.of(partition));
                consumer.seekToEnd(List.of(partition));
                consumer.position(partition);
                ready.countDown();
                while (received < messages && !givenUp) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                        accept(ByteBuffer.wrap(record.value()), System.nanoTime());
                    }
                }
            } catch (RuntimeException exception) {
                failure.set(exception);
                ready.countDown();
            }
        }

        private void accept(ByteBuffer value, long now) {
            long due = value.getLong();
            long message = value.getLong();
            if (message != received) {
                throw new IllegalStateException(
                        "Message %d came where %d was expected.".formatted(message, received));
            }
            received++;
            if (message >= warmUpMessages) {
                latencyNanos.recordValue(
                        Math.clamp(now - due, 0, latencyNanos.getHighestTrackableValue()));
            }
        }

        void awaitReady() throws InterruptedException {
            ready.await();
            throwIfFailed();
        }

        void giveUp() {
            givenUp = true;
        }

        void throwIfFailed() {
            RuntimeException failed = failure.get();
            if (failed != null) {
                throw new IllegalStateException("The receiver broke off", failed);
            }
        }

        /// To be called when the thread has ended.
        Histogram result() {
            throwIfFailed();
            if (received < messages) {
                throw new IllegalStateException(
                        "Only %d of %d messages arrived.".formatted(received, messages));
            }
            return latencyNanos;
        }

        private Consumer<byte[], byte[]> consumer() {
            return new KafkaConsumer<>(
                    clients.consumer(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }
    }
}
