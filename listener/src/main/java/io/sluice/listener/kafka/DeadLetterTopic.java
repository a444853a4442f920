package io.sluice.listener.kafka;

import io.sluice.listener.message.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicExistsException;
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
/// A thread of its own sends, because a producer blocks as long as it cannot find the topic: that must hold up neither polls nor commits. Acknowledgements come on the
/// producer's thread.
///
/// Owned by the consumer's thread.
final class DeadLetterTopic {
    /// A cause without end would make the record too large to be sent at all.
    private static final int LONGEST_CAUSE = 1_000;

    /// How long to look for a topic that is not there.
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(10);

    private final KafkaSettings settings;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon(true).name("sluice-dead-letters").factory());
    private volatile @Nullable KafkaProducer<byte[], byte[]> producer;

    DeadLetterTopic(KafkaSettings settings) {
        this.settings = settings;
    }

    /// Makes sure at start that there is a place for dead letters, not when the first one is there.
    void prepare() {
        List<NewTopic> missing = new ArrayList<>();
        for (String topic : settings.topics()) {
            missing.add(
                    new NewTopic(
                            settings.deadLetterTopic(topic), Optional.empty(), Optional.empty()));
        }
        try (Admin admin = Admin.create(settings.producer())) {
            for (NewTopic topic : missing) {
                create(admin, topic);
            }
        }
    }

    private static void create(Admin admin, NewTopic topic) {
        try {
            admin.createTopics(List.of(topic)).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new IllegalStateException(
                        "There is no topic "
                                + topic.name()
                                + " for dead letters, and it could not be made: "
                                + e.getCause()
                                + ". Make it by hand, or allow this client to.",
                        e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "Interrupted while looking for the dead-letter topic.", e);
        }
    }

    /// @param sent hears nothing when the record is safe, otherwise what went wrong
    void send(
            ConsumerRecord<byte[], byte[]> record,
            Settlement.DeadLetter letter,
            Consumer<@Nullable Throwable> sent) {
        try {
            thread.execute(() -> sendNow(record, letter, sent));
        } catch (RejectedExecutionException e) {
            sent.accept(e); // it is closed
        }
    }

    private void sendNow(
            ConsumerRecord<byte[], byte[]> record,
            Settlement.DeadLetter letter,
            Consumer<@Nullable Throwable> sent) {
        try {
            ProducerRecord<byte[], byte[]> copy = copy(record, letter);
            var unused =
                    producer()
                            .send(
                                    copy,
                                    (metadata, failure) -> {
                                        if (failure instanceof RecordTooLargeException) {
                                            sendWithoutValue(copy, sent);
                                        } else {
                                            sent.accept(failure);
                                        }
                                    });
        } catch (RuntimeException | Error e) {
            sent.accept(e);
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
    private void sendWithoutValue(
            ProducerRecord<byte[], byte[]> copy, Consumer<@Nullable Throwable> sent) {
        // Those of the copy can no longer be changed once it has been sent.
        List<Header> headers = new ArrayList<>();
        copy.headers().forEach(headers::add);
        headers.add(header("sluice-value", "left out, it is too large"));
        var smaller =
                new ProducerRecord<byte[], byte[]>(
                        copy.topic(), null, copy.timestamp(), copy.key(), null, headers);
        var unused = producer().send(smaller, (metadata, failure) -> sent.accept(failure));
    }

    private KafkaProducer<byte[], byte[]> producer() {
        KafkaProducer<byte[], byte[]> open = producer;
        if (open == null) {
            Map<String, Object> client = settings.producer();
            client.put("max.block.ms", LONGEST_LOOK.toMillis());
            open =
                    new KafkaProducer<>(
                            client, new ByteArraySerializer(), new ByteArraySerializer());
            producer = open;
        }
        return open;
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /// Waits for what is on its way, up to this time.
    void close(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        thread.shutdown();
        try {
            if (!thread.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        KafkaProducer<byte[], byte[]> open = producer;
        if (open != null) {
            open.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }
}
