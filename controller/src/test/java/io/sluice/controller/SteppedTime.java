package io.sluice.controller;

import io.sluice.env.Clock;
import io.sluice.env.Mailbox;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Time that passes when the test says so, and mailboxes that work in it, all on the test's thread. Owned by its test.
final class SteppedTime implements Clock {
    private long nanos = Duration.ofDays(1).toNanos();
    private long order;
    private final List<Box> boxes = new ArrayList<>();

    /// Whoever asks for the time meets one.
    boolean hasABug;

    @Override
    public long wallMillis() {
        return nanos / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
        if (hasABug) {
            throw new IllegalStateException("a bug");
        }
        return nanos;
    }

    Box box() {
        Box box = new Box();
        boxes.add(box);
        return box;
    }

    /// Everything that can happen without time happens.
    void settle() {
        boolean moved = true;
        while (moved) {
            moved = false;
            for (Box box : List.copyOf(boxes)) {
                moved |= box.turn();
            }
        }
    }

    /// Timers fire in their order while the time passes.
    void advance(Duration by) {
        long end = nanos + by.toNanos();
        settle();
        for (Due next = next(); next != null && next.at <= end; next = next()) {
            nanos = Math.max(nanos, next.at);
            next.box.timers.remove(next);
            next.box.posted.add(next.work);
            settle();
        }
        nanos = end;
        settle();
    }

    private @Nullable Due next() {
        Due first = null;
        for (Box box : boxes) {
            for (Due due : box.isPaused ? List.<Due>of() : box.timers) {
                boolean earlier =
                        first == null
                                || due.at < first.at
                                || (due.at == first.at && due.order < first.order);
                first = earlier ? due : first;
            }
        }
        return first;
    }

    private static final class Due {
        final Box box;
        final long at;
        final long order;
        final Runnable work;

        Due(Box box, long at, long order, Runnable work) {
            this.box = box;
            this.at = at;
            this.order = order;
            this.work = work;
        }
    }

    /// One process's thread.
    final class Box implements Mailbox {
        private final ArrayDeque<Runnable> posted = new ArrayDeque<>();
        private final List<Due> timers = new ArrayList<>();
        private boolean isRunning;
        boolean isPaused;

        /// The process is killed: nothing of it happens any more.
        void kill() {
            boxes.remove(this);
            posted.clear();
            timers.clear();
        }

        private boolean turn() {
            boolean moved = false;
            while (!isPaused && !posted.isEmpty()) {
                moved = true;
                isRunning = true;
                try {
                    posted.poll().run();
                } finally {
                    isRunning = false;
                }
            }
            return moved;
        }

        @Override
        public void post(Runnable work) {
            if (boxes.contains(this)) {
                posted.add(work);
            }
        }

        @Override
        public boolean isCurrent() {
            return isRunning;
        }

        @Override
        public Timer schedule(Duration delay, Runnable work) {
            Due due = new Due(this, nanos + delay.toNanos(), order++, work);
            timers.add(due);
            return () -> timers.remove(due);
        }
    }
}
