package io.sluice.simulation;

import java.time.Duration;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// The queue of everything that is going to happen, and the time it happens at.
///
/// Owned by the thread that runs it; everything in a world happens on that thread.
public final class SimWorld {
    private final SimClock clock = new SimClock();
    private final TraceHash trace = new TraceHash();
    private final SimEntropy entropy;
    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private long sequence;
    private long executed;
    private @Nullable SimMailbox current;
    private @Nullable SimProcess lastRun;

    public SimWorld(long seed) {
        this.entropy = new SimEntropy(seed);
    }

    public SimClock clock() {
        return clock;
    }

    public TraceHash trace() {
        return trace;
    }

    /// The randomness of one part of the world.
    public SimEntropy entropy(String name) {
        return entropy.fork(name);
    }

    /// How many events have run so far.
    public long executed() {
        return executed;
    }

    /// Adds an event of a process; it is dropped when the process has died by then.
    public Event schedule(SimProcess process, String name, long delayNanos, Runnable work) {
        Event event =
                new Event(
                        clock.monotonicNanos() + Math.max(0, delayNanos),
                        sequence++,
                        process,
                        name,
                        work);
        queue.add(event);
        return event;
    }

    /// The paused process goes on: all that was due meanwhile happens now, in its order.
    public void resume(SimProcess process) {
        for (Event event : process.goOn()) {
            event.time = clock.monotonicNanos();
            event.number = sequence++;
            queue.add(event);
        }
    }

    /// How much is going to happen, as far as is known now.
    public int waiting() {
        return queue.size();
    }

    /// The process whose event has run last.
    public @Nullable SimProcess lastRun() {
        return lastRun;
    }

    /// Runs the next event. False when there is none.
    public boolean step() {
        Event event;
        while ((event = queue.poll()) != null) {
            if (isDue(event)) {
                execute(event);
                return true;
            }
        }
        return false;
    }

    private static boolean isDue(Event event) {
        if (!event.isWanted()) {
            return false;
        }
        if (event.process.isPaused()) {
            event.process.hold(event);
            return false;
        }
        return true;
    }

    private void execute(Event event) {
        clock.advanceTo(event.time);
        executed++;
        lastRun = event.process;
        trace.add(event.time);
        trace.add(event.name);
        event.work.run();
    }

    /// Runs all events until none is left, or the limit is reached: a world that never comes to rest is a bug.
    public void runUntilIdle(int limit) {
        for (int i = 0; i < limit; i++) {
            if (!step()) {
                return;
            }
        }
        throw new IllegalStateException(
                "still busy after " + limit + " events; next is " + queue.peek());
    }

    /// Runs all events of this span of time, and leaves the clock at its end.
    public void runFor(Duration span) {
        runFor(span, () -> {});
    }

    /// The same, with a look at things after every event.
    public void runFor(Duration span, Runnable afterEach) {
        long end = clock.monotonicNanos() + span.toNanos();
        for (Event next; (next = queue.peek()) != null && next.time <= end; ) {
            queue.poll();
            if (isDue(next)) {
                execute(next);
                afterEach.run();
            }
        }
        clock.advanceTo(end);
    }

    boolean isCurrent(SimMailbox mailbox) {
        return mailbox.equals(current);
    }

    void runAs(@Nullable SimMailbox mailbox, Runnable work) {
        SimMailbox before = current;
        current = mailbox;
        try {
            work.run();
        } finally {
            current = before;
        }
    }

    /// Something that is going to happen.
    public static final class Event implements Comparable<Event> {
        private long time;
        private long number;
        private final SimProcess process;
        private final String name;
        private final Runnable work;
        private boolean cancelled;

        private Event(long time, long number, SimProcess process, String name, Runnable work) {
            this.time = time;
            this.number = number;
            this.process = process;
            this.name = name;
            this.work = work;
        }

        public void cancel() {
            cancelled = true;
        }

        private boolean isWanted() {
            return !cancelled && process.isAlive();
        }

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(time, other.time);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(number);
        }

        @Override
        public String toString() {
            return name + " of " + process.name() + " at " + time + " ns";
        }
    }
}
