package io.sluice.listener.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the consumer reads in each partition: on at the front, or back at a deferred record that is due; in turns, so that neither waits for the other. Stays at a
/// place for a while, because going to another one throws away what was fetched.
///
/// ```
///  front ──due, at its offset──▶ back ──what comes first lies behind it──▶ it is gone: nobody waits for it any more
///    ▲                            │
///    └──── after some polls ──────┘
/// ```
/// Owned by the consumer's thread. Time comes in with the call.
final class ReadingPlaces {
    private static final Logger log = LoggerFactory.getLogger(ReadingPlaces.class);
    private static final int POLLS_PER_PLACE = 100;

    private final Consumer<?, ?> consumer;
    private final Map<TopicPartition, PartitionProgress> partitions;
    private final int mostDeferred;
    private final boolean resetsToEarliest;
    private final Predicate<String> room;

    /// Those that are read at a deferred record, with the offset that has to come next, unless it is gone.
    private final Map<TopicPartition, Long> back = new HashMap<>();

    /// Since the last choice; at the greatest number the next one is due.
    private int polls = POLLS_PER_PLACE;

    /// @param partitions what the loop knows, as it is at the time
    /// @param room whether a lane has some
    ReadingPlaces(
            KafkaSettings settings,
            Consumer<?, ?> consumer,
            Map<TopicPartition, PartitionProgress> partitions,
            Predicate<String> room) {
        this.consumer = consumer;
        this.partitions = partitions;
        this.mostDeferred = settings.mostDeferred();
        this.resetsToEarliest = settings.resetsToEarliest();
        this.room = room;
    }

    /// Chooses anew, if it is time.
    void choose(long nowNanos) {
        if (stays()) {
            return;
        }
        polls = 0;
        List<TopicPartition> resumed = new ArrayList<>();
        List<TopicPartition> paused = new ArrayList<>();
        partitions.forEach(
                (partition, progress) -> {
                    boolean wasBack = back.containsKey(partition);
                    if (wasBack) {
                        seen(partition, positionOf(partition));
                        back.remove(partition);
                    }
                    boolean full = progress.deferred() >= mostDeferred;
                    long due = wasBack && !full ? -1 : progress.firstDue(nowNanos, room);
                    if (due >= 0) {
                        consumer.seek(partition, due);
                        back.put(partition, due);
                    } else if (wasBack) {
                        consumer.seek(partition, progress.front());
                    }
                    (due < 0 && full ? paused : resumed).add(partition);
                });
        consumer.resume(resumed);
        consumer.pause(paused);
    }

    /// Where the client stands: beyond what it has brought, when it has found nothing where it was sent.
    private long positionOf(TopicPartition partition) {
        try {
            return consumer.position(partition, Duration.ZERO);
        } catch (TimeoutException e) {
            return -1; // it does not know
        }
    }

    /// A record of this offset has come, or would be the next. Where it was to come from a place before that, what was there has been deleted, by retention or by
    /// compaction.
    void seen(TopicPartition partition, long offset) {
        Long expected = back.get(partition);
        PartitionProgress progress = partitions.get(partition);
        if (expected == null || progress == null || offset < expected) {
            return;
        }
        back.put(partition, offset + 1);
        if (offset == expected) {
            return;
        }
        // A client that goes on at the end instead proves nothing about what lies between.
        int gone = progress.vanished(expected, resetsToEarliest ? offset : expected + 1);
        if (gone > 0) {
            log.warn(
                    "{}: {} records that were to come again, from offset {} on, have been deleted.",
                    partition,
                    gone,
                    expected);
        }
    }

    /// Whether it goes on where it is.
    boolean stays() {
        return polls < POLLS_PER_PLACE;
    }

    /// @param some whether there was something
    void polled(boolean some) {
        polls = some ? polls + 1 : POLLS_PER_PLACE;
    }

    /// The next choice is due.
    void leave() {
        polls = POLLS_PER_PLACE;
    }

    /// Nobody knows what has been read since a while: all partitions are read from their fronts again.
    void startOver() {
        back.clear();
        partitions.forEach((partition, progress) -> consumer.seek(partition, progress.readsOn()));
        leave();
    }

    /// Whether the partition is read at a deferred record.
    boolean isBack(TopicPartition partition) {
        return back.containsKey(partition);
    }

    /// It belongs to somebody else.
    void forget(TopicPartition partition) {
        back.remove(partition);
    }
}
