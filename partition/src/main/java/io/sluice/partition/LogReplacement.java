package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.PartitionLog;
import io.sluice.log.recovery.RecoveryPoint;
import java.time.Duration;

/// Makes a follower's log shorter, so that it can go on as its leader's does. Owned by its shard.
///
/// ```
///   lower the recovery point, durably ──▶ wait until no worker touches the files ──▶ cut, on a worker ──▶ open again
/// ```
/// A crash at any point leaves a log that only ends too late, and a recovery point that claims no more than it has.
final class LogReplacement {
    private static final Duration IDLE_CHECK = Duration.ofMillis(2);

    private final OpenPartition open;
    private final ShardDoors doors;
    private final Mailbox owner;
    private final Wish wish;

    /// @param leaderEpoch the term whose leader wants it
    /// @param anew give up everything and begin at the offset, or else cut to it
    record Wish(int leaderEpoch, long offset, boolean anew) {
        static Wish cut(int leaderEpoch, long offset) {
            return new Wish(leaderEpoch, offset, false);
        }

        static Wish restart(int leaderEpoch, long offset) {
            return new Wish(leaderEpoch, offset, true);
        }

        /// What consumers may read afterwards: below a leader's start everything is committed.
        long watermarkAfter(long before) {
            return anew ? offset : Math.min(before, offset);
        }
    }

    LogReplacement(OpenPartition open, Wish wish) {
        this.open = open;
        this.doors = open.doors();
        this.owner = open.owner();
        this.wish = wish;
    }

    /// Nobody may use the log from now on.
    Reply<PartitionLog.Opened> run() {
        return lower().flatMap(_ -> idle()).flatMap(_ -> replace());
    }

    private Reply<Boolean> lower() {
        RecoveryPoints points = doors.recoveryPoints();
        RecoveryPoint known = points.find(open.id());
        if (known == null || (!wish.anew() && known.durableOffset() <= wish.offset())) {
            return Reply.of(true);
        }
        long watermark = wish.watermarkAfter(open.role().highWatermark());
        points.note(open.id(), RecoveryPoint.NOTHING.withHighWatermark(watermark));
        Reply<Boolean> written = new Reply<>();
        doors.replication()
                .checkpoints()
                .write(owner)
                .then(
                        written::complete,
                        failure -> {
                            if (points.find(open.id()) != null) {
                                points.note(open.id(), known); // Nothing was cut: it is true yet.
                            }
                            written.fail(failure);
                        });
        return written;
    }

    private Reply<Boolean> idle() {
        Reply<Boolean> idle = new Reply<>();
        awaitIdle(idle);
        return idle;
    }

    private void awaitIdle(Reply<Boolean> idle) {
        if (open.isIdle()) {
            idle.complete(true);
        } else {
            owner.schedule(IDLE_CHECK, () -> awaitIdle(idle));
        }
    }

    private Reply<PartitionLog.Opened> replace() {
        PartitionLog log = open.log();
        doors.counters().logsCut.increment();
        return doors.workers()
                .call(
                        Workers.Kind.READ,
                        owner,
                        () ->
                                wish.anew()
                                        ? log.restartAt(wish.offset())
                                        : log.truncateTo(wish.offset()));
    }
}
