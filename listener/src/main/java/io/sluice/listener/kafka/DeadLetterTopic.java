package io.sluice.listener.kafka;

import io.sluice.listener.message.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
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
/// Owned by the consumer's thread; acknowledgements come on the producer's.
final class DeadLetterTopic implements AutoCloseable {
    /// A cause without end would make the record too large to be sent at all.
    private static final int LONGEST_CAUSE = 1_000;

    private final KafkaSettings settings;
    private @Nullable KafkaProducer<byte[], byte[]> producer;

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
            Consumer<@Nullable Exception> sent) {
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
        try {
            var copy =
                    new ProducerRecord<>(
                            settings.deadLetterTopic(record.topic()),
                            null,
                            record.timestamp(),
                            record.key(),
                            record.value(),
                            headers);
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
        } catch (RuntimeException e) {
            sent.accept(e);
        }
    }

    /// A record that was just small enough is too large with our headers. Better a letter without its value than one that is tried for ever: where the value is
    /// stands in `sluice-origin`.
    private void sendWithoutValue(
            ProducerRecord<byte[], byte[]> copy, Consumer<@Nullable Exception> sent) {
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
        if (producer == null) {
            producer =
                    new KafkaProducer<>(
                            settings.producer(),
                            new ByteArraySerializer(),
                            new ByteArraySerializer());
        }
        return producer;
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }

    void close(Duration deadline) {
        if (producer != null) {
            producer.close(deadline);
        }
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(10));
    }
}
