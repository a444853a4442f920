package io.sluice.conformance;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Sends numbered messages to the partitions of a topic in turn, without end, and enters what is acknowledged into a book.
///
/// A thread of its own sends; acknowledgements come on the client's thread.
final class AcknowledgedLoad implements AutoCloseable {
    /// Bounds what is open, so that every restart meets fresh messages and not a backlog.
    private static final int MAX_OPEN = 2_000;

    /// Settings of a producer that outlives its broker and comes back quickly; everything else is the client's default.
    static final Map<String, Object> PATIENT =
            Map.of(
                    ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                    300_000,
                    ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                    5_000,
                    ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                    200L,
                    ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG,
                    200L,
                    ProducerConfig.MAX_BLOCK_MS_CONFIG,
                    300_000L);

    private final Producer<String, String> producer;
    private final String topic;
    private final int perSecond;
    private final AcknowledgementBook book = new AcknowledgementBook();
    private final AckGaps gaps = new AckGaps();
    private final AtomicLong answered = new AtomicLong();
    private final List<Exception> failures = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile int partitions;
    private volatile boolean stopping;

    /// As many as the brokers take. Takes the producer over and closes it in the end.
    AcknowledgedLoad(Producer<String, String> producer, String topic, int partitions) {
        this(producer, topic, partitions, 0);
    }

    /// @param perSecond so many at most; 0 for as many as the brokers take
    AcknowledgedLoad(
            Producer<String, String> producer, String topic, int partitions, int perSecond) {
        this.producer = producer;
        this.topic = topic;
        this.partitions = partitions;
        this.perSecond = perSecond;
        thread = Thread.ofPlatform().name("load-on-" + topic).start(this::sendUntilStopped);
    }

    private void sendUntilStopped() {
        long began = System.nanoTime();
        for (long number = 0; !stopping; number++) {
            send(number);
            long sent = number + 1;
            pauseWhile(() -> sent - answered.get() > MAX_OPEN || isAhead(began, sent));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The callback sees every result.
    private void send(long number) {
        producer.send(
                new ProducerRecord<>(
                        topic, (int) (number % partitions), null, Long.toString(number)),
                (metadata, exception) -> answered(metadata, number, exception));
    }

    private boolean isAhead(long beganNanos, long sent) {
        return perSecond > 0
                && System.nanoTime() - beganNanos < TimeUnit.SECONDS.toNanos(sent) / perSecond;
    }

    private void pauseWhile(BooleanSupplier tooSoon) {
        while (tooSoon.getAsBoolean() && !stopping) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /// The topic has so many partitions from now on; all of them get messages.
    void spreadOver(int more) {
        partitions = more;
    }

    private void answered(RecordMetadata metadata, long number, @Nullable Exception exception) {
        if (exception == null) {
            TopicPartition partition = new TopicPartition(metadata.topic(), metadata.partition());
            book.acknowledged(partition, metadata.offset(), number);
            gaps.acknowledged(partition);
        } else {
            failures.add(exception);
        }
        answered.incrementAndGet();
    }

    AcknowledgementBook book() {
        return book;
    }

    AckGaps gaps() {
        return gaps;
    }

    List<Exception> failures() {
        return failures;
    }

    /// Returns when this many more messages are acknowledged.
    void awaitProgress(int messages, Supplier<String> brokerOutput) {
        long from = book.count();
        Eventually.holds(
                () ->
                        (book.count() - from)
                                + " acknowledged, failures "
                                + failures
                                + ", broker:\n"
                                + brokerOutput.get(),
                Duration.ofMinutes(4),
                () -> book.count() - from >= messages);
    }

    /// Stops sending and waits until every message has its answer.
    void finish() {
        stopping = true;
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        producer.flush();
    }

    @Override
    public void close() {
        stopping = true;
        thread.interrupt();
        producer.close(Duration.ZERO);
    }
}
