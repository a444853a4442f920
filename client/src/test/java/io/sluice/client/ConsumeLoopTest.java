package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The order of commit and work, on kafka-clients' own MockConsumer. Everything runs on the test's thread.
@Timeout(30)
class ConsumeLoopTest {
    private static final TopicPartition P0 = new TopicPartition("orders", 0);
    private static final TopicPartition P1 = new TopicPartition("orders", 1);

    private final RecordingConsumer consumer = new RecordingConsumer();
    private final AtomicReference<ConsumeLoop<String, String>> loop = new AtomicReference<>();
    private final List<String> events = consumer.events;

    @Test
    @DisplayName("Q31: the offset is committed before the work")
    void atMostOnceCommitsBeforeTheWork() {
        consumer.deliver(P0, 0, 3);
        run(Delivery.AT_MOST_ONCE, OnFailure.stop(), stopAfter(3, this::note));
        assertThat(events).containsExactly("commit p0=3", "p0@0", "p0@1", "p0@2", "close");
    }

    @Test
    @DisplayName("Q32: the offset is committed after the work")
    void atLeastOnceCommitsAfterTheWork() {
        consumer.deliver(P0, 0, 3);
        run(Delivery.AT_LEAST_ONCE, OnFailure.stop(), stopAfter(3, this::note));
        assertThat(events).containsExactly("p0@0", "p0@1", "p0@2", "commit p0=3", "close");
    }

    @Test
    void recordsOfAPartitionAreWorkedOnInOrder() {
        consumer.deliver(P0, 0, 2);
        consumer.deliver(P1, 7, 2);
        run(Delivery.AT_LEAST_ONCE, OnFailure.stop(), stopAfter(4, this::note));
        assertThat(events).containsSubsequence("p0@0", "p0@1").containsSubsequence("p1@7", "p1@8");
        assertThat(consumer.committedOffset(P0)).isEqualTo(2);
        assertThat(consumer.committedOffset(P1)).isEqualTo(9);
    }

    @Test
    void stoppedAtLeastOnceCommitsWhatIsDoneAndNoMore() {
        consumer.deliver(P0, 0, 5);
        run(Delivery.AT_LEAST_ONCE, OnFailure.stop(), stopAfter(2, this::note));
        assertThat(events).containsExactly("p0@0", "p0@1", "commit p0=2", "close");
    }

    @Test
    void stoppedAtMostOnceGivesBackWhatWasNotBegun() {
        consumer.deliver(P0, 0, 5);
        run(Delivery.AT_MOST_ONCE, OnFailure.stop(), stopAfter(2, this::note));
        assertThat(events).containsExactly("commit p0=5", "p0@0", "p0@1", "commit p0=2", "close");
    }

    @Test
    void failedRecordStopsTheLoopAndIsNotCommitted() {
        consumer.deliver(P0, 0, 5);
        assertThatThrownBy(() -> run(Delivery.AT_LEAST_ONCE, OnFailure.stop(), failAt(2)))
                .isInstanceOf(ProcessingFailedException.class)
                .hasMessageContaining("orders-0 offset 2")
                .hasRootCauseMessage("no stock");
        assertThat(consumer.committedOffset(P0)).isEqualTo(2);
        assertThat(consumer.closed()).isTrue();
    }

    @Test
    void failedRecordIsNeverTriedTwiceWithAtMostOnce() {
        consumer.deliver(P0, 0, 5);
        assertThatThrownBy(() -> run(Delivery.AT_MOST_ONCE, OnFailure.stop(), failAt(2)))
                .isInstanceOf(ProcessingFailedException.class);
        assertThat(consumer.committedOffset(P0)).isEqualTo(3);
    }

    @Test
    void skippedRecordIsLeftBehindWithAtMostOnce() {
        consumer.deliver(P0, 0, 3);
        RecordHandler<String, String> failing = failAt(1);
        run(
                Delivery.AT_MOST_ONCE,
                OnFailure.skip(),
                record -> {
                    if (record.offset() == 2) {
                        theLoop().stop();
                    }
                    failing.handle(record);
                });
        assertThat(events).containsExactly("commit p0=3", "p0@0", "p0@2", "close");
    }

    @Test
    void retriedRecordHoldsBackTheOnesBehindIt() {
        consumer.deliver(P0, 0, 3);
        var failures = new ArrayList<Integer>(List.of(1, 2));
        run(
                Delivery.AT_LEAST_ONCE,
                OnFailure.retry(5, Duration.ofMillis(1), Duration.ofMillis(2)),
                stopAfter(
                        5,
                        record -> {
                            note(record);
                            if (record.offset() == 1 && !failures.isEmpty()) {
                                failures.removeFirst();
                                throw new IllegalStateException("no stock");
                            }
                        }));
        assertThat(events)
                .containsExactly("p0@0", "p0@1", "p0@1", "p0@1", "p0@2", "commit p0=3", "close");
    }

    @Test
    void retryGivesUpAfterItsAttempts() {
        consumer.deliver(P0, 0, 1);
        assertThatThrownBy(
                        () ->
                                run(
                                        Delivery.AT_LEAST_ONCE,
                                        OnFailure.retry(
                                                3, Duration.ofMillis(1), Duration.ofMillis(1)),
                                        failAt(0)))
                .hasMessageContaining("after 3 attempts");
        assertThat(consumer.committedOffset(P0)).isEqualTo(0);
    }

    /// While a record waits for its retry the group may take its partition away: what is done is committed in time, the
    /// rest is the new owner's.
    @Test
    void partitionRevokedDuringARetryIsCommittedAndLeftAlone() {
        consumer.deliver(P0, 0, 3);
        run(
                Delivery.AT_LEAST_ONCE,
                OnFailure.retry(5, Duration.ofMillis(50), Duration.ofMillis(50)),
                record -> {
                    note(record);
                    if (record.offset() == 1) {
                        consumer.schedulePollTask(
                                () -> {
                                    consumer.rebalance(List.of(P1));
                                    consumer.schedulePollTask(() -> theLoop().stop());
                                });
                        throw new IllegalStateException("no stock");
                    }
                });
        assertThat(events).containsExactly("p0@0", "p0@1", "commit p0=1", "close");
        assertThat(consumer.pausedAtRebalance).contains(P1);
    }

    @Test
    void lostPartitionIsNotCommitted() {
        consumer.deliver(P0, 0, 3);
        run(
                Delivery.AT_LEAST_ONCE,
                OnFailure.retry(5, Duration.ofMillis(50), Duration.ofMillis(50)),
                record -> {
                    note(record);
                    if (record.offset() == 1) {
                        consumer.schedulePollTask(
                                () -> {
                                    consumer.losePartitions(List.of(P0));
                                    consumer.schedulePollTask(() -> theLoop().stop());
                                });
                        throw new IllegalStateException("no stock");
                    }
                });
        assertThat(events).containsExactly("p0@0", "p0@1", "close");
    }

    @Test
    void commitThatComesAtABadMomentIsMadeUpFor() {
        consumer.deliver(P0, 0, 2);
        consumer.nextCommitFails = new RebalanceInProgressException("not now");
        run(
                Delivery.AT_LEAST_ONCE,
                OnFailure.stop(),
                record -> {
                    note(record);
                    if (record.offset() == 1) {
                        // the poll after the failed commit is empty; the one after that stops
                        consumer.schedulePollTask(
                                () -> consumer.schedulePollTask(() -> theLoop().stop()));
                    }
                });
        assertThat(events).containsExactly("p0@0", "p0@1", "refused", "commit p0=2", "close");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void atMostOnceDoesNotWorkOnWhatItCouldNotCommit(boolean forGood) {
        consumer.deliver(P0, 0, 2);
        consumer.nextCommitFails =
                forGood ? new CommitFailedException() : new RebalanceInProgressException("not now");
        run(Delivery.AT_MOST_ONCE, OnFailure.stop(), stopAfter(2, this::note));
        assertThat(events).containsExactly("refused", "commit p0=2", "p0@0", "p0@1", "close");
    }

    @Test
    void stopDuringACommitDoesNotLoseTheCommit() {
        consumer.deliver(P0, 0, 1);
        consumer.nextCommitFails = new WakeupException();
        run(Delivery.AT_LEAST_ONCE, OnFailure.stop(), stopAfter(1, this::note));
        assertThat(events).containsExactly("p0@0", "refused", "commit p0=1", "close");
    }

    @Test
    void interruptEndsTheLoopInGoodOrder() {
        consumer.deliver(P0, 0, 3);
        run(
                Delivery.AT_LEAST_ONCE,
                OnFailure.stop(),
                record -> {
                    if (record.offset() == 1) {
                        throw new InterruptedException();
                    }
                    note(record);
                });
        assertThat(Thread.interrupted()).as("the flag is given back").isTrue();
        assertThat(events).containsExactly("p0@0", "commit p0=1", "close");
    }

    @Test
    void loopRunsOnce() {
        consumer.deliver(P0, 0, 1);
        run(Delivery.AT_LEAST_ONCE, OnFailure.stop(), stopAfter(1, this::note));
        assertThatThrownBy(() -> theLoop().run(List.of("orders")))
                .isInstanceOf(IllegalStateException.class);
        theLoop().close();
    }

    @Test
    void loopThatNeverRanClosesItsConsumer() {
        new ConsumeLoop<>(consumer, Delivery.AT_LEAST_ONCE, OnFailure.stop(), this::note).close();
        assertThat(consumer.closed()).isTrue();
    }

    @Test
    void contradictionsAreRefused() {
        assertThatThrownBy(() -> make(Delivery.AT_MOST_ONCE, OnFailure.retry()))
                .hasMessageContaining("delivery=at-most-once and OnFailure.retry");
        assertThatThrownBy(() -> make(Delivery.AT_LEAST_ONCE, OnFailure.skip()))
                .hasMessageContaining("delivery=at-least-once and OnFailure.skip");
        assertThatThrownBy(() -> make(Delivery.EXACTLY_ONCE, OnFailure.stop()))
                .hasMessageContaining("TransformLoop");
        assertThatThrownBy(() -> OnFailure.retry(1, Duration.ZERO, Duration.ZERO))
                .hasMessageContaining("at least 2 attempts");
    }

    @Test
    void pausesDoubleUpToTheLongest() {
        var retry = new OnFailure.Retry(10, Duration.ofMillis(100), Duration.ofMillis(350));
        assertThat(retry.pauseAfter(1)).isEqualTo(Duration.ofMillis(100));
        assertThat(retry.pauseAfter(2)).isEqualTo(Duration.ofMillis(200));
        assertThat(retry.pauseAfter(3)).isEqualTo(Duration.ofMillis(350));
        assertThat(retry.pauseAfter(1_000)).isEqualTo(Duration.ofMillis(350));
    }

    private ConsumeLoop<String, String> make(Delivery delivery, OnFailure onFailure) {
        return new ConsumeLoop<>(consumer, delivery, onFailure, this::note);
    }

    private void run(
            Delivery delivery, OnFailure onFailure, RecordHandler<String, String> handler) {
        loop.set(new ConsumeLoop<>(consumer, delivery, onFailure, handler));
        theLoop().run(List.of("orders"));
    }

    private ConsumeLoop<String, String> theLoop() {
        return loop.get();
    }

    private void note(ConsumerRecord<String, String> record) {
        events.add("p" + record.partition() + "@" + record.offset());
    }

    private RecordHandler<String, String> failAt(long offset) {
        return record -> {
            if (record.offset() == offset) {
                throw new IllegalStateException("no stock");
            }
            note(record);
        };
    }

    private RecordHandler<String, String> stopAfter(
            int calls, RecordHandler<String, String> handler) {
        int[] seen = {0};
        return record -> {
            if (++seen[0] == calls) {
                theLoop().stop();
            }
            handler.handle(record);
        };
    }

    /// Notes commits in the order in which they happen, and can refuse one.
    private static final class RecordingConsumer extends MockConsumer<String, String> {
        final List<String> events = new ArrayList<>();
        private final Map<TopicPartition, Long> last = new HashMap<>();
        private final Map<TopicPartition, Long> committed = new HashMap<>();
        Set<TopicPartition> pausedAtRebalance = Set.of();
        @Nullable KafkaException nextCommitFails;

        RecordingConsumer() {
            super("earliest");
            updateBeginningOffsets(Map.of(P0, 0L, P1, 0L));
        }

        void deliver(TopicPartition partition, long from, int count) {
            schedulePollTask(
                    () -> {
                        if (!assignment().contains(partition)) {
                            List<TopicPartition> owned = new ArrayList<>(assignment());
                            owned.add(partition);
                            rebalance(owned);
                        }
                        super.seek(partition, from);
                        last.put(partition, from + count - 1);
                        addFrom(partition, from);
                    });
        }

        private void addFrom(TopicPartition partition, long from) {
            for (long offset = from; offset <= last.getOrDefault(partition, -1L); offset++) {
                addRecord(record(partition, offset));
            }
        }

        /// MockConsumer forgets what it has handed out; a broker does not.
        @Override
        public synchronized void seek(TopicPartition partition, long offset) {
            super.seek(partition, offset);
            schedulePollTask(() -> addFrom(partition, offset));
        }

        private static ConsumerRecord<String, String> record(TopicPartition on, long offset) {
            return new ConsumerRecord<>(on.topic(), on.partition(), offset, "key", "value");
        }

        long committedOffset(TopicPartition partition) {
            return committed.getOrDefault(partition, 0L);
        }

        @Override
        public synchronized void rebalance(Collection<TopicPartition> assignment) {
            super.rebalance(assignment);
            pausedAtRebalance = Set.copyOf(paused());
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
            KafkaException failure = nextCommitFails;
            if (failure != null) {
                nextCommitFails = null;
                events.add("refused");
                throw failure;
            }
            super.commitSync(offsets);
            offsets.forEach(
                    (partition, offset) -> {
                        committed.put(partition, offset.offset());
                        events.add("commit p" + partition.partition() + "=" + offset.offset());
                    });
        }

        @Override
        public void close() {
            events.add("close");
            super.close();
        }
    }
}
