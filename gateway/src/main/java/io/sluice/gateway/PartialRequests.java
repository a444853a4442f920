package io.sluice.gateway;

import io.sluice.env.Mailbox;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The requests of one event loop that have arrived in part. Owned by its loop.
///
/// Most requests arrive whole and know nothing of this. Where unfinished ones hold more bytes than the limit, only the one that began first is read on, so that it
/// ends and makes room; the others wait, unread. It must make progress, or its connection is closed: nobody can keep the others waiting by sending slowly.
final class PartialRequests {
    private static final Duration CHECK = Duration.ofSeconds(5);

    /// What the first in line must at least receive from one check to the next.
    private static final int PROGRESS_BYTES = 64 << 10;

    private final long limit;
    private final Mailbox home;
    private final Set<Arrival> begun = new LinkedHashSet<>();
    private final Set<Arrival> waiting = new LinkedHashSet<>();
    private long bytes;
    private boolean checking;
    private @Nullable Arrival checked;
    private int checkedBytes;

    PartialRequests(long limit, Mailbox home) {
        this.limit = limit;
        this.home = home;
    }

    /// @param resume reads on, if nothing else is against it
    /// @param close ends a connection that holds up the others
    Arrival arrivals(Runnable resume, Runnable close) {
        return new Arrival(resume, close);
    }

    long bytes() {
        return bytes;
    }

    private boolean isOver() {
        return bytes > limit;
    }

    private @Nullable Arrival first() {
        return begun.isEmpty() ? null : begun.iterator().next();
    }

    private void wakeWaiting() {
        if (waiting.isEmpty()) {
            return;
        }
        if (isOver()) {
            Arrival first = first();
            if (first != null && waiting.remove(first)) {
                first.resume.run();
            }
            return;
        }
        List<Arrival> woken = List.copyOf(waiting);
        waiting.clear();
        woken.forEach(arrival -> arrival.resume.run());
    }

    private void checkLater() {
        if (!checking) {
            checking = true;
            checked = first();
            checkedBytes = checked == null ? 0 : checked.held;
            home.schedule(CHECK, this::check);
        }
    }

    private void check() {
        checking = false;
        if (!isOver()) {
            return;
        }
        Arrival first = first();
        if (first != null && first.equals(checked) && first.held - checkedBytes < PROGRESS_BYTES) {
            first.close.run();
        }
        if (isOver()) {
            checkLater();
        }
    }

    /// One connection's unfinished request.
    final class Arrival {
        private final Runnable resume;
        private final Runnable close;
        private int held;

        private Arrival(Runnable resume, Runnable close) {
            this.resume = resume;
            this.close = close;
        }

        /// After each read: how many bytes of an unfinished request are here.
        void holds(int count) {
            bytes += count - held;
            held = count;
            if (count == 0) {
                begun.remove(this);
            } else {
                begun.add(this);
            }
            if (isOver()) {
                checkLater();
            }
            wakeWaiting();
        }

        /// True when the connection must not be read now; it is told to resume.
        boolean mustWait() {
            if (held == 0 || !isOver() || equals(first())) {
                return false;
            }
            waiting.add(this);
            return true;
        }

        /// The connection is gone.
        void end() {
            waiting.remove(this);
            holds(0);
        }
    }
}
