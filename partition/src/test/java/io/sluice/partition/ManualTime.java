package io.sluice.partition;

import io.sluice.env.Clock;
import io.sluice.env.Mailbox;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// Time, and the mailboxes that live in it, moved by hand: nothing runs before [#turn] or [#advance]. Owned by its test.
public final class ManualTime implements Clock {
    public static final long START_MILLIS = 1_700_000_000_000L;

    private final List<ManualMailbox> mailboxes = new ArrayList<>();
    private final PriorityQueue<Scheduled> timers = new PriorityQueue<>();
    private long nanos;
    private long sequence;

    /// A new owner's mailbox. A test itself is on nobody's thread; what a mailbox runs is on its.
    public Mailbox mailbox() {
        ManualMailbox mailbox = new ManualMailbox();
        mailboxes.add(mailbox);
        return mailbox;
    }

    @Override
    public long wallMillis() {
        return START_MILLIS + nanos / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }

    /// Runs all that is posted or due. True when there was anything.
    public boolean turn() {
        boolean moved = false;
        for (Runnable next = next(); next != null; next = next()) {
            next.run();
            moved = true;
        }
        return moved;
    }

    private @Nullable Runnable next() {
        for (ManualMailbox mailbox : mailboxes) {
            Runnable work = mailbox.posted.poll();
            if (work != null) {
                return () -> mailbox.enter(work);
            }
        }
        Scheduled first = timers.peek();
        if (first == null || first.atNanos > nanos) {
            return null;
        }
        timers.remove();
        return first.isCancelled ? () -> {} : () -> first.owner.enter(first.work);
    }

    /// Lets time pass, stopping at every timer on the way.
    public void advance(Duration duration) {
        long until = nanos + duration.toNanos();
        turn();
        for (Scheduled first = timers.peek();
                first != null && first.atNanos <= until;
                first = timers.peek()) {
            nanos = Math.max(nanos, first.atNanos);
            turn();
        }
        nanos = until;
    }

    /// Timers that have yet to run.
    public int timers() {
        return (int) timers.stream().filter(timer -> !timer.isCancelled).count();
    }

    private final class ManualMailbox implements Mailbox {
        private final ArrayDeque<Runnable> posted = new ArrayDeque<>();
        private int entered;

        void enter(Runnable work) {
            entered++;
            try {
                work.run();
            } finally {
                entered--;
            }
        }

        @Override
        public void post(Runnable work) {
            posted.add(work);
        }

        @Override
        public boolean isCurrent() {
            return entered > 0;
        }

        @Override
        public Timer schedule(Duration delay, Runnable work) {
            Scheduled timer = new Scheduled(nanos + delay.toNanos(), ++sequence, this, work);
            timers.add(timer);
            return timer;
        }
    }

    private static final class Scheduled implements Mailbox.Timer, Comparable<Scheduled> {
        private final long atNanos;
        private final long sequence;
        private final ManualMailbox owner;
        private final Runnable work;
        private boolean isCancelled;

        Scheduled(long atNanos, long sequence, ManualMailbox owner, Runnable work) {
            this.atNanos = atNanos;
            this.sequence = sequence;
            this.owner = owner;
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
}
