package io.sluice.replication;

import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/// Holds back copies that a move has ordered, so that they leave the network and the disks to those that serve clients.
///
/// All of a broker's moving replicas share the limit; a replica that was there before, and one that has caught up, is never held back. A limit that was changed counts for what is copied from then on: nobody goes on paying for the old one. Thread-safe: one value, changed by compare-and-set.
public final class MovePace {
    private final Predicate<PartitionId> isMoving;
    private final LongSupplier bytesPerSecond;
    private final AtomicReference<Debt> debt = new AtomicReference<>(new Debt(0, 0));

    /// When what was copied under a limit is paid for.
    private record Debt(long limit, long freeAtNanos) {
        Debt plus(long cost, long underLimit, long nowNanos) {
            boolean isPaid = limit != underLimit || freeAtNanos - nowNanos < 0;
            return new Debt(underLimit, (isPaid ? nowNanos : freeAtNanos) + cost);
        }
    }

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

    /// As it is now; 0 for none.
    long limit() {
        return bytesPerSecond.getAsLong();
    }

    /// How long a moving replica that has just got so many bytes has to wait before it asks for more, as long as the limit stays as it is.
    Duration pauseAfter(int bytes, long nowNanos) {
        long limit = limit();
        if (limit <= 0 || bytes == 0) {
            return Duration.ZERO;
        }
        long cost = TimeUnit.SECONDS.toNanos(bytes) / limit;
        long free = debt.updateAndGet(before -> before.plus(cost, limit, nowNanos)).freeAtNanos();
        return Duration.ofNanos(free - nowNanos);
    }
}
