package io.sluice.client;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A loop's place in its group: polls, waits without being thrown out, commits, stops. What to do with the
/// records is the loop's business.
///
/// ```
///  NEW ──run──▶ RUNNING ──stop, interrupt, failure──▶ ENDED      (close from NEW goes straight to ENDED)
/// ```
///
/// Owned by the thread that calls [#run]; [#stop], [#close] and [#stopping] may be called from any thread.
final class Membership<K, V> implements ConsumerRebalanceListener {
    private static final Logger log = LoggerFactory.getLogger(Membership.class);
    private static final Duration POLL = Duration.ofMillis(500);

    /// What the loop does with a poll's records (perhaps none), at a rebalance, and at the end.
    interface Work<K, V> {
        void on(ConsumerRecords<K, V> records);

        /// These partitions go to another member as soon as this returns; commits are still possible.
        void revoked(Collection<TopicPartition> partitions);

        /// These partitions are another member's already; commits would be refused.
        void lost(Collection<TopicPartition> partitions);

        /// The loop ends, however it ends; the consumer is still open.
        void settle();
    }

    /// How a commit went.
    enum Commit {
        DONE,
        /// Nothing was wrong with it but the moment.
        LATER,
        /// This consumer is no longer the owner; the records go to another.
        REFUSED
    }

    private enum State {
        NEW,
        RUNNING,
        ENDED
    }

    private final Consumer<K, V> consumer;
    private final Work<K, V> work;
    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stopping;
    private volatile @Nullable Thread runner;
    private boolean interrupted;
    private boolean waiting;

    Membership(Consumer<K, V> consumer, Work<K, V> work) {
        this.consumer = consumer;
        this.work = work;
    }

    /// Polls until [#stop], an interrupt or an exception; settles and closes the consumer in each case.
    void run(Collection<String> topics) {
        if (!state.compareAndSet(State.NEW, State.RUNNING)) {
            throw new IllegalStateException("A loop runs once; make a new one.");
        }
        runner = Thread.currentThread();
        try {
            consumer.subscribe(topics, this);
            while (!stopping) {
                work.on(poll(POLL));
            }
        } catch (InterruptException e) {
            stopByInterrupt();
        } finally {
            end();
        }
    }

    private void end() {
        // A set interrupt flag would make the last commit and the close fail at once.
        interrupted |= Thread.interrupted();
        try {
            work.settle();
        } catch (RuntimeException e) {
            log.error("The last commit failed; its records will be delivered again.", e);
        } finally {
            try {
                consumer.close();
            } finally {
                state.set(State.ENDED);
                ended.countDown();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    boolean stopping() {
        return stopping;
    }

    void stop() {
        stopping = true;
        consumer.wakeup();
    }

    /// The work was interrupted: ends the loop in good order and gives the flag back to the thread afterwards.
    void stopByInterrupt() {
        interrupted = true;
        stopping = true;
    }

    /// Stops and waits for the end of [#run].
    void close() {
        if (state.compareAndSet(State.NEW, State.ENDED)) {
            consumer.close();
            ended.countDown();
            return;
        }
        if (state.get() == State.RUNNING) {
            stop();
        }
        if (Thread.currentThread().equals(runner)) {
            return;
        }
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Waits at most that long, ended early by [#stop]. Polling goes on with everything paused, so that the broker does
    /// not take the partitions away for silence, and rebalances happen in time.
    void waitInGroup(Duration pause) {
        waiting = true;
        long deadline = System.nanoTime() + pause.toNanos();
        try {
            consumer.pause(consumer.assignment());
            long remaining = pause.toNanos();
            while (!stopping && remaining > 0) {
                Duration step = Duration.ofNanos(Math.min(remaining, POLL.toNanos()));
                rewind(poll(step));
                remaining = deadline - System.nanoTime();
            }
        } finally {
            waiting = false;
            consumer.resume(consumer.assignment());
        }
    }

    /// Makes these records come again with a later poll, in so far as their partitions are still ours.
    void rewind(ConsumerRecords<K, V> records) {
        for (TopicPartition partition : records.partitions()) {
            if (consumer.assignment().contains(partition)) {
                consumer.seek(partition, records.records(partition).getFirst().offset());
            }
        }
    }

    Commit commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (offsets.isEmpty()) {
            return Commit.DONE;
        }
        try {
            try {
                consumer.commitSync(offsets);
            } catch (WakeupException e) {
                // stop() means no further poll; a commit is still wanted. The wake-up is used up
                // now.
                consumer.commitSync(offsets);
            }
            return Commit.DONE;
        } catch (CommitFailedException e) {
            log.warn(
                    "The group has given {} to another member; the records will be delivered again. Raise"
                            + " max.poll.interval.ms or lower max.poll.records if the work is slow.",
                    offsets.keySet());
            return Commit.REFUSED;
        } catch (RebalanceInProgressException | TimeoutException e) {
            log.warn("The commit of {} has to wait: {}", offsets, e.getMessage());
            return Commit.LATER;
        }
    }

    private ConsumerRecords<K, V> poll(Duration timeout) {
        try {
            return consumer.poll(timeout);
        } catch (WakeupException e) {
            return ConsumerRecords.empty();
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        if (waiting) {
            consumer.pause(partitions);
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        work.revoked(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        work.lost(partitions);
    }
}
