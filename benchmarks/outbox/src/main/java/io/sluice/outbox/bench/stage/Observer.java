package io.sluice.outbox.bench.stage;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// A consumer that notes when each event arrives, and whether twice, and whether behind a later one of its key.
///
/// So what is measured ends a little after the broker's acknowledgement, for all contenders alike.
///
/// Thread-safe: a thread reads; others look at atomic numbers.
public final class Observer implements AutoCloseable {
    private final Consumer<byte[], byte[]> consumer;
    private final AtomicLongArray arrivedAtNanos;
    private final AtomicLong arrived = new AtomicLong();
    private final AtomicInteger repeated = new AtomicInteger();
    private final AtomicInteger exchanged = new AtomicInteger();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final Map<String, Long> lastOfKey = new HashMap<>(); // The reading thread's.
    private final Thread thread;

    /// @param events numbers from 0 up to this
    public Observer(Scene scene, int events) {
        consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                scene.stage().bootstrap(),
                                "fetch.max.wait.ms",
                                100,
                                "receive.buffer.bytes",
                                1 << 20),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        arrivedAtNanos = new AtomicLongArray(events);
        List<TopicPartition> partitions =
                consumer.partitionsFor(scene.topic()).stream()
                        .map(info -> new TopicPartition(scene.topic(), info.partition()))
                        .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        thread = Thread.ofPlatform().daemon().name("observer").start(this::read);
    }

    private void read() {
        try {
            while (!closing.get()) {
                var records = consumer.poll(Duration.ofMillis(100));
                long now = System.nanoTime();
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    note(record, now);
                }
            }
        } catch (WakeupException e) {
            // closed
        }
    }

    private void note(ConsumerRecord<byte[], byte[]> record, long now) {
        int id = 0;
        for (int i = 0; i < 12; i++) {
            id = id * 10 + record.value()[i] - '0';
        }
        if (!arrivedAtNanos.compareAndSet(id, 0, now)) {
            repeated.incrementAndGet();
            return;
        }
        String key = new String(record.key(), StandardCharsets.UTF_8);
        Long before = lastOfKey.put(key, (long) id);
        if (before != null && before > id) {
            exchanged.incrementAndGet();
            lastOfKey.put(key, before);
        }
        arrived.incrementAndGet();
    }

    /// Waits until so many different events are there.
    ///
    /// @return whether they came
    public boolean await(long count, Duration longest) {
        long until = System.nanoTime() + longest.toNanos();
        while (arrived.get() < count) {
            if (System.nanoTime() - until > 0) {
                return false;
            }
            Scene.pause(2);
        }
        return true;
    }

    /// When it arrived; zero if it did not.
    public long arrivedAtNanos(int id) {
        return arrivedAtNanos.get(id);
    }

    public long arrived() {
        return arrived.get();
    }

    /// Records that had come before.
    public int repeated() {
        return repeated.get();
    }

    /// Events that came behind a later one of their key.
    public int exchanged() {
        return exchanged.get();
    }

    @Override
    public void close() {
        closing.set(true);
        consumer.wakeup();
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        consumer.close();
    }
}
