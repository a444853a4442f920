package io.sluice.outbox.compat;

import io.sluice.outbox.compat.Claims.Batch;
import io.sluice.outbox.compat.Claims.Claimed;
import io.sluice.outbox.compat.Claims.Failed;
import io.sluice.outbox.publishing.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends a batch, pipelined, and hears what has become of each event.
///
/// Immutable; used by one thread. Acknowledgements come on the producer's.
final class Delivery {
    private static final Logger LOG = LoggerFactory.getLogger(Delivery.class);
    private static final String SILENT =
            "the producer has not answered within its time-outs: its thread has ended, or stands still";

    /// What has become of a batch. Events that are in neither list were thrown away with the producer.
    ///
    /// @param silent how many of the failed ones the producer has not answered for
    /// @param trouble of the broker; null if nothing but events was refused
    record Answers(
            Batch batch,
            List<Long> done,
            List<Failed> failed,
            int silent,
            @Nullable String trouble) {
        /// @throws IllegalStateException if another producer has to take the place of this one
        void requireProducer() {
            if (silent > 0) {
                throw new IllegalStateException(
                        "broker: %d of %d events: %s"
                                .formatted(silent, batch.events().size(), SILENT));
            }
        }
    }

    private final String topic;
    private final CompatSettings settings;
    private final Map<String, Object> producerSettings;
    private final LongConsumer acknowledged;

    /// @param acknowledged gets the age of each event when it was claimed
    /// @throws IllegalArgumentException if an event may be on its way for longer than that: it would be claimed and sent by somebody else
    Delivery(
            String topic,
            CompatSettings settings,
            Map<String, Object> producer,
            Duration lease,
            LongConsumer acknowledged) {
        this.topic = topic;
        this.settings = settings;
        this.acknowledged = acknowledged;
        this.producerSettings = new HashMap<>(producer);
        int timeout = (int) settings.timeout().toMillis();
        producerSettings.putIfAbsent("linger.ms", 0);
        producerSettings.putIfAbsent("request.timeout.ms", timeout / 2);
        producerSettings.putIfAbsent("delivery.timeout.ms", timeout);
        producerSettings.putIfAbsent("max.block.ms", timeout);
        requireWithin(lease);
    }

    private void requireWithin(Duration lease) {
        long longest = longestMillis();
        if (longest > lease.toMillis()) {
            throw new IllegalArgumentException(
                    "max.block.ms=%s, delivery.timeout.ms=%s: with app.outbox.relay.timeoutSeconds=%d an event may be on its way for %d ms, and after %d ms others claim it again; lower them, or raise the time-out"
                            .formatted(
                                    producerSettings.get("max.block.ms"),
                                    producerSettings.get("delivery.timeout.ms"),
                                    settings.timeout().toSeconds(),
                                    longest,
                                    lease.toMillis()));
        }
    }

    /// How long an event may be on its way; a producer that has not answered then never will.
    private long longestMillis() {
        return settings.timeout().toMillis()
                + millis("max.block.ms")
                + millis("delivery.timeout.ms");
    }

    private long millis(String setting) {
        return Long.parseLong(String.valueOf(producerSettings.get(setting)));
    }

    Producer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                producerSettings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    Answers send(Batch batch, GuardedProducer producer) throws InterruptedException {
        long began = System.nanoTime(); // With the lease: however long the claim took.
        List<Future<RecordMetadata>> answers = new ArrayList<>();
        for (Claimed event : batch.events()) {
            // With no broker in reach every send would block for the whole time-out, far beyond the
            // lease.
            boolean late = System.nanoTime() - began > settings.timeout().toNanos();
            answers.add(late ? tooLate() : send(producer, event));
        }
        List<Long> done = new ArrayList<>();
        List<Failed> failed = new ArrayList<>();
        int silent = 0;
        @Nullable String trouble = null;
        for (int i = 0; i < answers.size(); i++) {
            Claimed event = batch.events().get(i);
            Duration pause = settings.backoff().beyond(event.paused());
            try {
                long left =
                        began + TimeUnit.MILLISECONDS.toNanos(longestMillis()) - System.nanoTime();
                answers.get(i).get(Math.max(left, 0), TimeUnit.NANOSECONDS);
                done.add(event.id());
            } catch (TimeoutException e) {
                silent++;
                failed.add(new Failed(event.id(), SILENT, pause));
            } catch (ExecutionException e) {
                if (producer.isLost()) {
                    continue; // Nothing was wrong with it: whoever has the part then sends it.
                }
                String cause = String.valueOf(e.getCause());
                LOG.warn("Event {} could not be sent: {}", event.id(), cause);
                Throwable why = Objects.requireNonNullElse(e.getCause(), e);
                if (!(Refusal.of(why) instanceof Refusal.OfRecord)) {
                    trouble = "broker: " + cause;
                }
                failed.add(new Failed(event.id(), cause, pause));
            }
        }
        return new Answers(batch, done, failed, silent, trouble);
    }

    private Future<RecordMetadata> send(GuardedProducer producer, Claimed event) {
        try {
            return producer.send(
                    record(event),
                    (metadata, exception) -> {
                        if (exception == null) {
                            acknowledged.accept(event.ageMicros());
                        }
                    });
        } catch (KafkaException | IllegalStateException e) {
            // The producer was thrown away under us, or somebody's code in it does not take this
            // event: those before it have an answer all the same.
            return CompletableFuture.failedFuture(e);
        }
    }

    private Future<RecordMetadata> tooLate() {
        return CompletableFuture.failedFuture(
                new TimeoutException(
                        "not sent: the batch has already taken longer than timeoutSeconds="
                                + settings.timeout().toSeconds()));
    }

    private ProducerRecord<byte[], byte[]> record(Claimed event) {
        var record =
                new ProducerRecord<byte[], byte[]>(
                        topic, Claims.utf8(event.key()), Claims.utf8(event.payload()));
        event.headers().forEach((name, value) -> record.headers().add(name, Claims.utf8(value)));
        record.headers().add("outbox-event-id", Claims.utf8(Long.toString(event.id())));
        return record;
    }
}
