package io.sluice.partition;

import io.sluice.env.Crossing;
import io.sluice.env.DiskException;
import io.sluice.env.Mailbox;
import io.sluice.env.Workers;
import io.sluice.log.Flush;
import io.sluice.log.PartitionLog;
import io.sluice.log.TopicSettings;
import java.time.Duration;

/// One fsync at a time for a partition; everything appended meanwhile shares the next one. Owned by its shard.
///
/// ```
///           request           end of the turn         flushed, nothing new
///   idle ────────────▶ due ────────────────▶ flushing ─────────────────────▶ idle
///                                              │  ▲ flushed, wanted meanwhile
///                                              └──┘
/// ```
/// The first one to ask does not start the fsync at once but at the end of the owner's turn, so that it covers all requests that had arrived
/// with it. On a topic that favours throughput it waits some milliseconds for more. A failed fsync is never repeated: the log goes offline.
final class GroupCommit {
    /// How long an fsync waits for more to share it, where throughput is favoured.
    static final Duration GATHER = Duration.ofMillis(2);

    private final PartitionLog log;
    private final ShardDoors doors;
    private final Mailbox owner;
    private final Runnable onFlushed;
    private final Runnable onFailed;
    private State state = State.IDLE;
    private boolean wanted;

    private enum State {
        IDLE,
        DUE,
        FLUSHING
    }

    GroupCommit(
            PartitionLog log,
            ShardDoors doors,
            Mailbox owner,
            Runnable onFlushed,
            Runnable onFailed) {
        this.log = log;
        this.doors = doors;
        this.owner = owner;
        this.onFlushed = onFlushed;
        this.onFailed = onFailed;
    }

    /// Everything in the log now is to become durable soon.
    void request() {
        wanted = true;
        if (state == State.IDLE) {
            plan();
        }
    }

    private void plan() {
        state = State.DUE;
        if (gathers()) {
            owner.schedule(GATHER, this::begin);
        } else {
            owner.post(this::begin);
        }
    }

    private boolean gathers() {
        return log.settings().profile() == TopicSettings.Profile.THROUGHPUT;
    }

    boolean isIdle() {
        return state == State.IDLE;
    }

    /// Whatever goes wrong here must not leave the state as it is: nothing would be flushed any more.
    private void begin() {
        Crossing.step(owner, "The beginning of a flush", this::beginHere, this::failed);
    }

    private void beginHere() {
        wanted = false;
        Flush flush = log.beginFlush();
        if (flush == null) {
            state = State.IDLE;
            if (log.offline() != null) {
                // Nobody who waits would be told otherwise. Later: first those whom the last fsync
                // has covered.
                owner.post(onFailed);
            }
            return;
        }
        state = State.FLUSHING;
        doors.workers()
                .call(Workers.Kind.FLUSH, owner, () -> run(flush))
                .then(this::flushed, this::failed);
    }

    /// On a worker.
    private Flush run(Flush flush) {
        long began = doors.clock().monotonicNanos();
        flush.run();
        doors.counters().flushes.add(doors.clock().monotonicNanos() - began);
        return flush;
    }

    private void flushed(Flush flush) {
        Crossing.step(owner, "The end of a flush", () -> complete(flush), this::failed);
        onFlushed.run();
    }

    private void complete(Flush flush) {
        log.completeFlush(flush);
        // Before anybody is told, which takes a while: the disk works for the next ones meanwhile.
        goOn();
    }

    private void goOn() {
        if (!wanted) {
            state = State.IDLE;
        } else if (gathers()) {
            plan();
        } else {
            begin();
        }
    }

    private void failed(Throwable failure) {
        state = State.IDLE;
        DiskException cause =
                failure instanceof DiskException disk
                        ? disk
                        : new DiskException(
                                DiskException.Kind.IO,
                                "",
                                "A flush ended unexpectedly: " + failure,
                                failure);
        log.failFlush(cause);
        onFailed.run();
    }
}
