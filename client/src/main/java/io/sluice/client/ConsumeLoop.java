package io.sluice.client;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Polls, hands each record to the work, and commits before it (at-most-once) or after it (at-least-once), once per
/// batch.
///
/// ```java
/// var loop = new ConsumeLoop<>(consumer, Delivery.AT_LEAST_ONCE, OnFailure.retry(), record -> ship(record.value()));
/// loop.run(List.of("orders"));        // on this thread, until another one calls loop.stop()
/// ```
///
/// What a crash, a rebalance or a stop means for the records of the current batch:
///
/// | | at-most-once | at-least-once |
/// | --- | --- | --- |
/// | crash | those not worked on are lost, none comes twice | all since the last commit come again, none is lost |
/// | stop or failure | those not begun are given back | those done are committed, the rest comes again |
/// | partition revoked | nothing in work | those done are committed, the rest goes to the new owner |
///
/// The consumer comes from [Preset#openConsumer] or has `enable.auto.commit=false` otherwise; the loop closes it.
///
/// Owned by the thread that calls [#run]; [#stop], [#close] and [#handled] may be called from any thread.
public final class ConsumeLoop<K, V> implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ConsumeLoop.class);

    private final Membership<K, V> membership;
    private final boolean commitFirst;
    private final OnFailure onFailure;
    private final RecordHandler<K, V> handler;
    private final AtomicLong handled = new AtomicLong();

    /// Worked on, but not committed yet. Stays empty with at-most-once.
    private final Map<TopicPartition, OffsetAndMetadata> done = new HashMap<>();

    private Batch<K, V> batch = new Batch<>(ConsumerRecords.empty());

    /// @throws IllegalArgumentException when the delivery and the failure policy contradict each other
    public ConsumeLoop(
            Consumer<K, V> consumer,
            Delivery delivery,
            OnFailure onFailure,
            RecordHandler<K, V> handler) {
        requirePossible(delivery, onFailure);
        this.commitFirst = delivery == Delivery.AT_MOST_ONCE;
        this.onFailure = onFailure;
        this.handler = handler;
        this.membership = new Membership<>(consumer, new Steps());
    }

    private static void requirePossible(Delivery delivery, OnFailure onFailure) {
        switch (delivery) {
            case AT_MOST_ONCE -> {
                if (onFailure instanceof OnFailure.Retry) {
                    throw new IllegalArgumentException(
                            "delivery=at-most-once and OnFailure.retry contradict each other: a retried record is"
                                    + " worked on twice. Use OnFailure.stop or skip, or delivery=at-least-once.");
                }
            }
            case AT_LEAST_ONCE -> {
                if (onFailure instanceof OnFailure.Skip) {
                    throw new IllegalArgumentException(
                            "delivery=at-least-once and OnFailure.skip contradict each other: a skipped record is"
                                    + " lost. Use OnFailure.stop or retry, or delivery=at-most-once.");
                }
            }
            case EXACTLY_ONCE ->
                    throw new IllegalArgumentException(
                            "delivery=exactly-once needs results and offsets in one transaction, which ConsumeLoop"
                                    + " cannot give to outside effects. Use TransformLoop.");
        }
    }

    /// Runs on this thread until [#stop] or an interrupt, then closes the consumer.
    ///
    /// @throws ProcessingFailedException when the work fails for good
    public void run(Collection<String> topics) {
        membership.run(topics);
    }

    /// Ends [#run] after the record in work, with everything done committed.
    public void stop() {
        membership.stop();
    }

    /// [#stop], and waits until [#run] has ended.
    @Override
    public void close() {
        membership.close();
    }

    /// How many records have been worked on with success.
    public long handled() {
        return handled.get();
    }

    /// The order of commit and work; called by the membership on the loop's thread.
    private final class Steps implements Membership.Work<K, V> {
        @Override
        public void on(ConsumerRecords<K, V> records) {
            batch = new Batch<>(records);
            if (commitFirst) {
                if (membership.commit(batch.ends()) == Membership.Commit.DONE) {
                    workAfterCommit();
                } else {
                    // Not committed, so not worked on: whoever owns the partitions gets the records
                    // again.
                    membership.rewind(records);
                    batch = new Batch<>(ConsumerRecords.empty());
                }
            } else {
                workBeforeCommit();
                commitDone();
            }
        }

        @Override
        public void revoked(Collection<TopicPartition> partitions) {
            Map<TopicPartition, OffsetAndMetadata> leaving = new HashMap<>(done);
            leaving.keySet().retainAll(partitions);
            membership.commit(leaving);
            forget(partitions);
        }

        @Override
        public void lost(Collection<TopicPartition> partitions) {
            forget(partitions);
        }

        @Override
        public void settle() {
            if (!commitFirst) {
                commitDone();
                return;
            }
            Map<TopicPartition, OffsetAndMetadata> untouched = batch.untouched();
            if (membership.commit(untouched) != Membership.Commit.DONE) {
                log.error("Lost by at-most-once: the committed records from {} on.", untouched);
            }
        }

        private void forget(Collection<TopicPartition> partitions) {
            done.keySet().removeAll(partitions);
            batch.drop(partitions);
        }
    }

    private void workAfterCommit() {
        for (var record = batch.head(); record != null; record = batch.head()) {
            if (membership.stopping()) {
                return;
            }
            // Off the list first: a record that was begun is never given back.
            batch.remove(record);
            work(record);
        }
    }

    private void workBeforeCommit() {
        for (var record = batch.head(); record != null; record = batch.head()) {
            if (membership.stopping()) {
                return;
            }
            if (work(record)) {
                done.put(Batch.partitionOf(record), batch.remove(record));
            }
        }
    }

    private void commitDone() {
        switch (membership.commit(done)) {
            case DONE, REFUSED -> done.clear();
            case LATER -> {} // tried again after the next poll, and before the partitions are
                // revoked
        }
    }

    /// @return whether the record is done with; if not, the loop is stopping or the partition has gone
    private boolean work(ConsumerRecord<K, V> record) {
        for (int failures = 1; ; failures++) {
            try {
                handler.handle(record);
                handled.incrementAndGet();
                return true;
            } catch (InterruptedException e) {
                membership.stopByInterrupt();
                return false;
            } catch (Exception e) {
                if (onFailure instanceof OnFailure.Skip) {
                    log.warn("Skipped {}: {}", describe(record), e.toString());
                    return true;
                }
                if (!waitForRetry(record, failures, e)) {
                    return false;
                }
            }
        }
    }

    private boolean waitForRetry(ConsumerRecord<K, V> record, int failures, Exception cause) {
        if (!(onFailure instanceof OnFailure.Retry retry) || failures >= retry.attempts()) {
            throw new ProcessingFailedException(record, failures, cause);
        }
        var pause = retry.pauseAfter(failures);
        log.warn("{} failed, again in {}: {}", describe(record), pause, cause.toString());
        membership.waitInGroup(pause);
        return !membership.stopping() && batch.holds(record);
    }

    private static String describe(ConsumerRecord<?, ?> record) {
        return record.topic() + "-" + record.partition() + " offset " + record.offset();
    }
}
