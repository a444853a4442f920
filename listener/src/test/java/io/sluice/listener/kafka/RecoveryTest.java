package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.lane.Job;
import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The client's thread in the middle of something that fails, and records that are no longer there.
@Timeout(60)
class RecoveryTest {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);

    private final Queue<Long> done = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean pollFails = new AtomicBoolean();
    private final AtomicBoolean deliveryFails = new AtomicBoolean();
    private final AtomicBoolean settlingFails = new AtomicBoolean();

    /// The offset whose first attempt fails.
    private volatile long failing = -1;

    /// Where the broker's log begins; and that it does so later, from the first failure on.
    private volatile long logStart;

    private final AtomicLong committed = new AtomicLong(-1);
    private final AtomicReference<ConsumerLoop> loop = new AtomicReference<>();

    private final MockConsumer<byte[], byte[]> consumer =
            new MockConsumer<>("earliest") {
                /// The mock forgets what it has returned; a broker brings it again, if it still has it.
                @Override
                public synchronized void seek(TopicPartition partition, long offset) {
                    long from = Math.max(offset, logStart);
                    super.seek(partition, from);
                    for (long i = from; i < 3; i++) {
                        addRecord(record(i));
                    }
                }

                @Override
                public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                    ConsumerRecords<byte[], byte[]> records = super.poll(timeout);
                    if (!records.isEmpty() && pollFails.get()) {
                        throw new OutOfMemoryError("of the test");
                    }
                    return records;
                }

                @Override
                public synchronized void commitAsync(
                        Map<TopicPartition, OffsetAndMetadata> offsets,
                        OffsetCommitCallback callback) {
                    offsets.values().forEach(offset -> committed.set(offset.offset()));
                    super.commitAsync(offsets, callback);
                }
            };

    private final Lanes lanes =
            new Lanes(
                    List.of(
                            LaneSettings.lane("all", new FixedLimit(3), this::work)
                                    .on(Runnable::run)
                                    .onFailure(
                                            FailurePolicy.standard()
                                                    .otherwise(
                                                            Backoff.constant(Duration.ZERO, 3)))),
                    this::laneOf,
                    this::settle,
                    LaneObserver.NONE);

    private static ConsumerRecord<byte[], byte[]> record(long offset) {
        return new ConsumerRecord<>("orders", 0, offset, new byte[0], new byte[0]);
    }

    private static long offsetOf(Message message) {
        return Long.parseLong(message.id().substring(message.id().indexOf('@') + 1));
    }

    private String laneOf(Message message) {
        if (offsetOf(message) == 1 && deliveryFails.getAndSet(false)) {
            throw new OutOfMemoryError("of the test");
        }
        return "all";
    }

    private void work(Job job) {
        long offset = offsetOf(job.message());
        if (offset == failing) {
            failing = -1;
            logStart = offset + 1;
            throw new IllegalStateException("not today");
        }
        done.add(offset);
    }

    private void settle(Message message, Settlement settlement) {
        if (offsetOf(message) == 1 && settlingFails.getAndSet(false)) {
            throw new OutOfMemoryError("of the test");
        }
        loop.get().settle(message, settlement);
    }

    private void start() {
        start(Duration.ofHours(1));
    }

    private void start(Duration longestJob) {
        consumer.schedulePollTask(
                () -> {
                    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
                    consumer.rebalance(List.of(PARTITION));
                    for (long i = 0; i < 3; i++) {
                        consumer.addRecord(record(i));
                    }
                });
        Duration soon = Duration.ofMillis(50);
        var settings =
                new KafkaSettings(
                        Map.of("bootstrap.servers", "nowhere:1", "group.id", "g"),
                        List.of("orders"),
                        "-dead-letters",
                        10_000,
                        soon,
                        Duration.ZERO,
                        longestJob);
        loop.set(new ConsumerLoop(settings, consumer, new DeadLetterTopic(settings), lanes));
        loop.get().start();
    }

    @AfterEach
    void close() {
        loop.get().close(Duration.ofSeconds(10));
    }

    @Test
    void whatAPollHasBroughtInVainIsReadAgain() throws Exception {
        pollFails.set(true);
        start();
        until("trouble", () -> loop.get().trouble() != null);
        pollFails.set(false);
        until("all are committed", () -> committed.get() == 3);
        assertThat(done).contains(0L, 1L, 2L);
        until("no trouble any more", () -> loop.get().trouble() == null);
    }

    @Test
    void aRecordThatCouldNotBeHandedInIsNotSkipped() throws Exception {
        deliveryFails.set(true);
        start();
        until("all are committed", () -> committed.get() == 3);
        assertThat(done).contains(0L, 1L, 2L);
    }

    /// Its slot is free, and nobody will say any more how it ended.
    @Test
    void aRecordWhoseEndWasNeverHeardOfHoldsUpNoCommit() throws Exception {
        settlingFails.set(true);
        start(Duration.ofMillis(200));
        until("all are committed", () -> committed.get() == 3);
        assertThat(done).contains(0L, 1L, 2L);
    }

    @Test
    void aRecordThatIsDeletedBeforeItComesAgainHoldsUpNoCommit() throws Exception {
        failing = 0;
        start();
        until("all others are committed", () -> committed.get() == 3);
        assertThat(done).containsExactly(1L, 2L);
    }

    @Test
    void norDoesTheLastOneWhenTheLogIsEmpty() throws Exception {
        failing = 2;
        start();
        until("all others are committed", () -> committed.get() == 3);
        assertThat(done).containsExactly(0L, 1L);
    }
}
