package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.LogClosing;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How a replica parts with its log: closes it in order, or lets go of its files as soon as no worker touches them. Owned by its shard.
final class LogParting {
    private static final Logger LOG = LoggerFactory.getLogger(LogParting.class);
    private static final Duration IDLE_CHECK = Duration.ofMillis(2);

    private final PartitionId id;
    private final ShardDoors doors;
    private final Mailbox owner;

    LogParting(PartitionId id, ShardDoors doors, Mailbox owner) {
        this.id = id;
        this.doors = doors;
        this.owner = owner;
    }

    /// With no worker on the files: the clean end. Completes when all is on disk; false when it is not, and the next start has to recover it.
    Reply<Boolean> close(OpenPartition last, long watermark) {
        LogClosing closing;
        try {
            closing = last.log().beginClose();
        } catch (RuntimeException failure) {
            return notClosed(failure);
        }
        Reply<Boolean> closed = new Reply<>();
        doors.workers()
                .call(Workers.Kind.FLUSH, owner, closing::run)
                .then(
                        point -> {
                            doors.recoveryPoints().note(id, point.withHighWatermark(watermark));
                            closed.complete(true);
                        },
                        failure -> notClosed(failure).whenDone(_ -> closed.complete(false)));
        return closed;
    }

    private Reply<Boolean> notClosed(Throwable failure) {
        LOG.error("{} could not be closed cleanly; the next start recovers it", id, failure);
        return Reply.of(false);
    }

    /// Now, or when this is so.
    void when(BooleanSupplier idle, Runnable work) {
        if (idle.getAsBoolean()) {
            work.run();
        } else {
            owner.schedule(IDLE_CHECK, () -> when(idle, work));
        }
    }
}
