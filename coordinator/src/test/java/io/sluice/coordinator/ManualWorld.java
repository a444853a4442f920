package io.sluice.coordinator;

import io.sluice.env.Clock;
import io.sluice.env.Mailbox;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// Time and one owner's mailbox, moved by hand: nothing runs before [#settle] or [#advance]. Owned by its test.
public final class ManualWorld implements Clock, Mailbox {
    private static final long START_MILLIS = 1_700_000_000_000L;

    private final ArrayDeque<Runnable> posted = new ArrayDeque<>();
    private final PriorityQueue<Scheduled> timers = new PriorityQueue<>();
    private long nanos;
    private long sequence;

    private static final class Scheduled implements Mailbox.Timer, Comparable<Scheduled> {
        private final long atNanos;
        private final long sequence;
        private final Runnable work;
        private boolean isCancelled;

        Scheduled(long atNanos, long sequence, Runnable work) {
            this.atNanos = atNanos;
            this.sequence = sequence;
            this.work = work;
        }

        @Override
        public void cancel() {
            isCancelled = true;
        }

        @Override
        public int compareTo(Scheduled other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    @Override
    public long wallMillis() {
        return START_MILLIS + nanos / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }

    @Override
    public void post(Runnable work) {
        posted.add(work);
    }

    @Override
    public boolean isCurrent() {
        return true;
    }

    @Override
    public Mailbox.Timer schedule(Duration delay, Runnable work) {
        Scheduled timer = new Scheduled(nanos + delay.toNanos(), ++sequence, work);
        timers.add(timer);
        return timer;
    }

    /// Runs all that is posted or due.
    public void settle() {
        while (true) {
            Runnable work = posted.poll();
            if (work == null) {
                work = due();
            }
            if (work == null) {
                return;
            }
            work.run();
        }
    }

    private @Nullable Runnable due() {
        Scheduled first = timers.peek();
        if (first == null || first.atNanos > nanos) {
            return null;
        }
        timers.remove();
        return first.isCancelled ? () -> {} : first.work;
    }

    /// Lets time pass, stopping at every timer on the way.
    public void advance(Duration duration) {
        long until = nanos + duration.toNanos();
        settle();
        while (!timers.isEmpty() && timers.peek().atNanos <= until) {
            nanos = Math.max(nanos, timers.peek().atNanos);
            settle();
        }
        nanos = until;
        settle();
    }

    /// Timers that have yet to run.
    public int timerCount() {
        return (int) timers.stream().filter(timer -> !timer.isCancelled).count();
    }
}
