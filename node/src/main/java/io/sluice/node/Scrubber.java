package io.sluice.node;

import io.sluice.env.Clock;
import io.sluice.env.Mailbox;
import io.sluice.partition.Lookup;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.ScrubStep;
import io.sluice.partition.ShardCounters;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads every closed segment now and then, so that what has rotted is found while another replica still has it.
///
/// One stretch of one partition at a time, with a pause after each that keeps the pace; the reading is done by workers, never by the owners of partitions.
/// Owned by the controller's mailbox.
final class Scrubber {
    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    /// Not while a broker that has just started has better things to do.
    private static final Duration FIRST_ROUND = Duration.ofMinutes(5);

    private static final int STRETCH_BYTES = 1 << 20;

    private final PartitionDirectory partitions;
    private final Mailbox owner;
    private final Clock clock;
    private final ShardCounters counters;
    private final NodeSettings.Scrubbing settings;
    private final ArrayDeque<Partition> left = new ArrayDeque<>();
    private long roundBegan;
    private boolean closed;

    Scrubber(
            PartitionDirectory partitions,
            NodeDoors doors,
            ShardCounters counters,
            NodeSettings.Scrubbing settings) {
        this.partitions = partitions;
        this.owner = doors.controller();
        this.clock = doors.clock();
        this.counters = counters;
        this.settings = settings;
    }

    void start() {
        if (settings.bytesPerSecond() > 0) {
            Duration interval = settings.interval();
            owner.schedule(
                    interval.compareTo(FIRST_ROUND) < 0 ? interval : FIRST_ROUND, this::round);
        }
    }

    void close() {
        closed = true;
    }

    private void round() {
        roundBegan = clock.monotonicNanos();
        partitions.all().stream().sorted(Comparator.comparing(Partition::id)).forEach(left::add);
        next();
    }

    private void next() {
        Partition partition = left.poll();
        if (closed) {
            return;
        }
        if (partition != null) {
            step(partition, ScrubStep.BEGINNING);
            return;
        }
        counters.scrubRounds.increment();
        long rest = settings.interval().toNanos() - (clock.monotonicNanos() - roundBegan);
        owner.schedule(Duration.ofNanos(Math.max(0, rest)), this::round);
    }

    private void step(Partition partition, ScrubStep from) {
        if (closed) {
            return;
        }
        int bytes = (int) Math.min(STRETCH_BYTES, settings.bytesPerSecond());
        partition
                .scrub(from, bytes, owner)
                .then(
                        found -> {
                            switch (found) {
                                case Lookup.Found(ScrubStep step) -> goOn(partition, step);
                                case Lookup.Failed(var why, String sentence) -> {
                                    LOG.debug("{} not scrubbed: {} {}", partition, why, sentence);
                                    owner.post(this::next);
                                }
                            }
                        },
                        failure -> {
                            LOG.error("{} could not be scrubbed", partition, failure);
                            owner.post(this::next);
                        });
    }

    private void goOn(Partition partition, ScrubStep step) {
        if (step.isEnd()) {
            // Not at once: ten thousand empty partitions must not keep the owner from its work.
            owner.post(this::next);
            return;
        }
        long nanos = TimeUnit.SECONDS.toNanos(step.bytes()) / settings.bytesPerSecond();
        owner.schedule(Duration.ofNanos(nanos), () -> step(partition, step));
    }
}
