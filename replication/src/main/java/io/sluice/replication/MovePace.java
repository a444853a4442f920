package io.sluice.replication;

import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/// Holds back copies that a move has ordered, so that they leave the network and the disks to those that serve clients.
///
/// All of a broker's moving replicas share the limit; a replica that was there before, and one that has caught up, is never held back. Thread-safe: one number, changed by compare-and-set.
public final class MovePace {
    private final Predicate<PartitionId> isMoving;
    private final LongSupplier bytesPerSecond;
    private final AtomicLong freeAtNanos = new AtomicLong(Long.MIN_VALUE);

    /// @param isMoving true for partitions whose replica here is new and has not caught up
    /// @param bytesPerSecond 0 for no limit
    public MovePace(Predicate<PartitionId> isMoving, LongSupplier bytesPerSecond) {
        this.isMoving = isMoving;
        this.bytesPerSecond = bytesPerSecond;
    }

    /// Nothing is held back.
    public static MovePace unlimited() {
        return new MovePace(_ -> false, () -> 0);
    }

    boolean isMoving(PartitionId partition) {
        return isMoving.test(partition);
    }

    /// How long a moving replica that has just got so many bytes has to wait before it asks for more.
    Duration pauseAfter(int bytes, long nowNanos) {
        long limit = bytesPerSecond.getAsLong();
        if (limit <= 0 || bytes == 0) {
            return Duration.ZERO;
        }
        long cost = TimeUnit.SECONDS.toNanos(bytes) / limit;
        long free =
                freeAtNanos.updateAndGet(
                        before ->
                                (before == Long.MIN_VALUE || before - nowNanos < 0
                                                ? nowNanos
                                                : before)
                                        + cost);
        return Duration.ofNanos(free - nowNanos);
    }
}
