package io.sluice.cli.bench;

import io.sluice.cli.ClientSettings;
import io.sluice.cli.Progress;
import io.sluice.client.Preset;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// Messages from a sender through the broker to a receiver, stamped with the moment they were due.
///
/// Sent on the calling thread, received on one of its own; both end with [#run]. [#stop] may be called from any thread.
final class RoundTrip {
    /// A value starts with the run's id, the message's due time and whether it counts.
    static final int STAMP = 24;

    private static final Duration POLL = Duration.ofMillis(100);

    private final ClientSettings settings;
    private final Preset preset;
    private final String topic;
    private final int size;
    private final long runId = System.nanoTime() ^ ProcessHandle.current().pid();
    private final Meter meter = new Meter();
    private final Latencies latencies = new Latencies();
    private final Latencies senderDelay = new Latencies();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final CountDownLatch receiving = new CountDownLatch(1);
    private final AtomicReference<@Nullable KafkaException> failure = new AtomicReference<>();
    private volatile boolean stopped;
    private volatile @Nullable Consumer<byte[], byte[]> consumer;

    RoundTrip(ClientSettings settings, Preset preset, String topic, int size) {
        this.settings = settings;
        this.preset = preset;
        this.topic = topic;
        this.size = size;
    }

    void run(double rate, Duration warmUp, Duration duration, Duration patience, Progress progress)
            throws InterruptedException {
        Thread receiver = Thread.ofPlatform().name("receiver").start(this::receive);
        try (Producer<byte[], byte[]> producer =
                preset.openProducer(
                        settings.forWriting(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            producer.partitionsFor(topic);
            receiving.await();
            send(producer, rate, warmUp.toNanos(), duration.toNanos(), progress);
            producer.flush();
        }
        long deadline = System.nanoTime() + patience.toNanos();
        while (received.get() < sent.get() && System.nanoTime() < deadline && !stopped) {
            Thread.sleep(10);
        }
        stop();
        receiver.join();
        KafkaException broken = failure.get();
        if (broken != null) {
            throw broken;
        }
    }

    private void send(
            Producer<byte[], byte[]> producer,
            double rate,
            long warmUpNanos,
            long durationNanos,
            Progress progress) {
        long start = System.nanoTime();
        var pace = new Pace(start, rate);
        byte[] filler = new byte[size];
        new SplittableRandom(1).nextBytes(filler);
        long measuredFrom = start + warmUpNanos;
        long end = measuredFrom + durationNanos;
        boolean measuring = false;
        for (long i = 0; !stopped && pace.due(i) < end; i++) {
            long due = pace.due(i);
            pace.await(due);
            boolean counts = due >= measuredFrom;
            if (counts && !measuring) {
                measuring = true;
                meter.start();
            }
            if (counts) {
                sent.incrementAndGet();
                senderDelay.record(System.nanoTime() - due);
            }
            var _ = producer.send(new ProducerRecord<>(topic, stamped(filler, due, counts)));
            if (i % 100 == 0) {
                meter.show(
                        progress,
                        counts ? "p99 " + Latencies.millis(latencies.recent(99)) : "warming up");
            }
        }
    }

    private byte[] stamped(byte[] filler, long due, boolean counts) {
        byte[] value = filler.clone();
        ByteBuffer.wrap(value).putLong(runId).putLong(due).putLong(counts ? 1 : 0);
        return value;
    }

    private void receive() {
        Map<String, Object> reading = new HashMap<>(settings.forReading());
        try (Consumer<byte[], byte[]> open =
                preset.openConsumer(
                        reading, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer = open;
            List<TopicPartition> partitions =
                    open.partitionsFor(topic).stream()
                            .map(info -> new TopicPartition(topic, info.partition()))
                            .toList();
            open.assign(partitions);
            open.seekToEnd(partitions);
            // The seek happens at the first question for the position; messages sent before that
            // would be missed.
            partitions.forEach(open::position);
            receiving.countDown();
            while (!stopped) {
                for (ConsumerRecord<byte[], byte[]> record : open.poll(POLL)) {
                    take(record.value());
                }
            }
        } catch (WakeupException e) {
            // stopped
        } catch (KafkaException e) {
            failure.set(e);
            stopped = true;
        } finally {
            receiving.countDown();
        }
    }

    private void take(byte[] value) {
        long now = System.nanoTime();
        if (value == null || value.length < STAMP) {
            return;
        }
        ByteBuffer stamp = ByteBuffer.wrap(value);
        if (stamp.getLong() != runId) {
            return;
        }
        long due = stamp.getLong();
        if (stamp.getLong() == 1) {
            latencies.record(now - due);
            meter.count(1, value.length);
            received.incrementAndGet();
        }
    }

    void stop() {
        stopped = true;
        Consumer<byte[], byte[]> open = consumer;
        if (open != null) {
            open.wakeup();
        }
    }

    Meter meter() {
        return meter;
    }

    Latencies latencies() {
        return latencies;
    }

    Latencies senderDelay() {
        return senderDelay;
    }

    long lost() {
        return sent.get() - received.get();
    }
}
