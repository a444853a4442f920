package io.sluice.listener.kafka;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.AcknowledgementCommitCallback;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockShareConsumer;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/// One record, shown once, and again when its lock has been renewed, unless that takes its time. As with the real one, a poll that has nothing to show fetches.
final class OneRecord extends MockShareConsumer<byte[], byte[]> {
    final List<AcknowledgeType> words = new CopyOnWriteArrayList<>();
    final AtomicBoolean slow = new AtomicBoolean();
    final AtomicInteger fetches = new AtomicInteger();
    final AtomicBoolean shown = new AtomicBoolean();
    private final AtomicBoolean woken = new AtomicBoolean();
    private boolean renews;
    private @Nullable AcknowledgementCommitCallback callback;

    @Override
    public synchronized void setAcknowledgementCommitCallback(
            AcknowledgementCommitCallback newCallback) {
        callback = newCallback;
    }

    @Override
    public synchronized void wakeup() {
        woken.set(true);
        slow.set(false);
    }

    @Override
    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        if (woken.getAndSet(false)) {
            throw new WakeupException();
        }
        if (shown.getAndSet(true)) {
            fetches.incrementAndGet();
            return ConsumerRecords.empty();
        }
        var record = new ConsumerRecord<>("orders", 0, 0L, new byte[0], new byte[0]);
        return new ConsumerRecords<>(
                Map.of(new TopicPartition("orders", 0), List.of(record)), Map.of());
    }

    @Override
    public synchronized Optional<Integer> acquisitionLockTimeoutMs() {
        return Optional.of(2_000);
    }

    @Override
    public synchronized void acknowledge(
            ConsumerRecord<byte[], byte[]> record, AcknowledgeType type) {
        words.add(type);
        renews = type == AcknowledgeType.RENEW;
    }

    @Override
    public synchronized void commitAsync() {
        if (renews && !slow.get()) {
            renews = false;
            shown.set(false);
            requireNonNull(callback)
                    .onComplete(
                            Map.of(new TopicIdPartition(Uuid.ZERO_UUID, 0, "orders"), Set.of(0L)),
                            null);
        }
    }
}
