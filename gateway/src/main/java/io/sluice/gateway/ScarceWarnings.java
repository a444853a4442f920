package io.sluice.gateway;

import io.sluice.env.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/// Writes one warning per second and counts the rest: nobody outside may fill the operator's log. Thread-safe.
final class ScarceWarnings {
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Sink sink;
    private final Clock clock;
    private final AtomicLong next;
    private final AtomicLong omitted = new AtomicLong();

    ScarceWarnings(Sink sink, Clock clock) {
        this.sink = sink;
        this.clock = clock;
        this.next = new AtomicLong(clock.monotonicNanos());
    }

    /// Where they go: a logger.
    interface Sink {
        void warn(String pattern, Object... arguments);
    }

    /// @param pattern and arguments as SLF4J has them
    void warn(String pattern, Object... arguments) {
        long now = clock.monotonicNanos();
        long due = next.get();
        if (now - due < 0 || !next.compareAndSet(due, now + PAUSE_NANOS)) {
            omitted.incrementAndGet();
            return;
        }
        sink.warn(pattern, arguments);
        long left = omitted.getAndSet(0);
        if (left > 0) {
            sink.warn("({} more of this kind were not written)", left);
        }
    }
}
