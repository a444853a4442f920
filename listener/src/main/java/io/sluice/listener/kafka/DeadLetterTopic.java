package io.sluice.listener.kafka;

import io.sluice.listener.message.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// Where records go whose jobs have failed for good: unchanged, with headers that say what happened.
///
/// | header | |
/// | --- | --- |
/// | `sluice-origin` | topic-partition@offset |
/// | `sluice-attempts` | how often the work was tried |
/// | `sluice-cause` | the exception, class and message |
///
/// Each topic's letters are sent by a thread of their own, because a producer blocks as long as it cannot find the topic: that must hold up neither polls nor commits, nor
/// the letters of other topics. Acknowledgements come on the producer's thread.
///
/// Used by the consumer's thread.
final class DeadLetterTopic {
    /// A cause without end would make the record too large to be sent at all.
    private static final int LONGEST_CAUSE = 1_000;

    /// How long to look for a topic that is not there.
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(10);

    /// What a producer's buffer holds.
    private static final int LARGEST = 32 << 20;

    private final KafkaSettings settings;
    private final Function<Map<String, Object>, Producer<byte[], byte[]>> producers;

    /// By the topic whose letters each sends.
    private final Map<String, ExecutorService> threads = new HashMap<>();

    /// Guarded by this, as is whether there may be one.
    private @Nullable Producer<byte[], byte[]> producer;

    private boolean closed;

    DeadLetterTopic(KafkaSettings settings) {
        this(
                settings,
                client ->
                        new KafkaProducer<>(
                                client, new ByteArraySerializer(), new ByteArraySerializer()));
    }

    /// @param producers how to make one
    DeadLetterTopic(
            KafkaSettings settings,
            Function<Map<String, Object>, Producer<byte[], byte[]>> producers) {
        this.settings = settings;
        this.producers = producers;
        for (String topic : settings.topics()) {
            String name = "sluice-dead-letters-" + topic;
            threads.put(
                    topic,
                    Executors.newSingleThreadExecutor(
                            Thread.ofPlatform().daemon(true).name(name).factory()));
        }
    }

    /// Makes sure at start that there is a place for dead letters, not when the first one is there.
    void prepare() {
        TopicSetup.prepare(settings);
    }

    /// @param sent hears nothing when the record is safe, otherwise what went wrong; once, whatever happens
    void send(
            ConsumerRecord<byte[], byte[]> record,
            Settlement.DeadLetter letter,
            Consumer<@Nullable Throwable> sent) {
        try {
            threadOf(record.topic()).execute(new Letter(record, letter, sent));
        } catch (RuntimeException | Error e) {
            sent.accept(e); // it is closed, or there is no thread
        }
    }

    private ExecutorService threadOf(String topic) {
        ExecutorService thread = threads.get(topic);
        if (thread == null) {
            throw new IllegalArgumentException(
                    "Topic " + topic + " is none of " + settings.topics());
        }
        return thread;
    }

    /// One on its way.
    private final class Letter implements Runnable {
        private final ConsumerRecord<byte[], byte[]> record;
        private final Settlement.DeadLetter letter;
        private final Consumer<@Nullable Throwable> sent;
        private final AtomicBoolean told = new AtomicBoolean();

        Letter(
                ConsumerRecord<byte[], byte[]> record,
                Settlement.DeadLetter letter,
                Consumer<@Nullable Throwable> sent) {
            this.record = record;
            this.letter = letter;
            this.sent = sent;
        }

        @Override
        public void run() {
            try {
                send(copy(record, letter));
            } catch (RuntimeException | Error e) {
                tell(e);
            }
        }

        private void send(ProducerRecord<byte[], byte[]> copy) {
            var unused = producer().send(copy, (metadata, failure) -> answered(copy, failure));
        }

        /// On the producer's thread, where nobody hears what is thrown.
        private void answered(ProducerRecord<byte[], byte[]> copy, @Nullable Exception failure) {
            try {
                if (failure instanceof RecordTooLargeException && copy.value() != null) {
                    send(withoutValue(copy));
                } else {
                    tell(failure);
                }
            } catch (RuntimeException | Error e) {
                tell(e);
            }
        }

        /// Nobody sends it any more.
        void giveBack() {
            tell(new IllegalStateException("the listener stops"));
        }

        private void tell(@Nullable Throwable failure) {
            if (told.compareAndSet(false, true)) {
                sent.accept(failure);
            }
        }
    }

    private ProducerRecord<byte[], byte[]> copy(
            ConsumerRecord<byte[], byte[]> record, Settlement.DeadLetter letter) {
        List<Header> headers = new ArrayList<>();
        record.headers().forEach(headers::add);
        String origin = record.topic() + "-" + record.partition() + "@" + record.offset();
        headers.add(header("sluice-origin", origin));
        headers.add(header("sluice-attempts", Integer.toString(letter.attempts())));
        String cause = letter.cause().toString();
        headers.add(
                header(
                        "sluice-cause",
                        cause.substring(0, Math.min(cause.length(), LONGEST_CAUSE))));
        return new ProducerRecord<>(
                settings.deadLetterTopic(record.topic()),
                null,
                // A record need not have one, but -1 cannot be sent.
                record.timestamp() < 0 ? null : Long.valueOf(record.timestamp()),
                record.key(),
                record.value(),
                headers);
    }

    /// A record that was just small enough is too large with our headers. Better a letter without its value than one that is tried for ever: where the value is
    /// stands in `sluice-origin`.
    private static ProducerRecord<byte[], byte[]> withoutValue(
            ProducerRecord<byte[], byte[]> copy) {
        // Those of the copy can no longer be changed once it has been sent.
        List<Header> headers = new ArrayList<>();
        copy.headers().forEach(headers::add);
        headers.add(header("sluice-value", "left out, it is too large"));
        return new ProducerRecord<>(
                copy.topic(), null, copy.timestamp(), copy.key(), null, headers);
    }

    private synchronized Producer<byte[], byte[]> producer() {
        if (closed) {
            throw new IllegalStateException("the listener stops");
        }
        if (producer == null) {
            Map<String, Object> client = settings.producer();
            client.put("max.block.ms", LONGEST_LOOK.toMillis());
            // How large a letter may be is its topic's choice.
            client.put("max.request.size", LARGEST);
            producer = producers.apply(client);
        }
        return producer;
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /// Waits for what is on its way, up to this time. What has not been sent by then is given back.
    void close(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        threads.values().forEach(ExecutorService::shutdown);
        threads.values().forEach(thread -> end(thread, end));
        Producer<byte[], byte[]> open = takeProducer();
        if (open != null) {
            open.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }

    private static void end(ExecutorService thread, long endNanos) {
        boolean ended = false;
        try {
            ended =
                    thread.awaitTermination(
                            Math.max(0, endNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!ended) {
            thread.shutdownNow().forEach(letter -> ((Letter) letter).giveBack());
        }
    }

    /// Nobody makes another one afterwards.
    private synchronized @Nullable Producer<byte[], byte[]> takeProducer() {
        closed = true;
        return producer;
    }
}
