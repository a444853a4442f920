package io.sluice.partition;

import java.util.LinkedHashSet;
import java.util.Set;

/// Fetches that have read all there is and wait for more. Owned by its shard.
///
/// A waiter is told once and must come again. Bounded by the fetches in flight, which the connections bound.
final class TailWaiters {
    private Set<Wait> waiting = new LinkedHashSet<>(1);

    /// One waiting fetch. Cancelling is idempotent.
    final class Wait {
        private final Runnable wake;

        private Wait(Runnable wake) {
            this.wake = wake;
        }

        void cancel() {
            waiting.remove(this);
        }
    }

    Wait add(Runnable wake) {
        Wait wait = new Wait(wake);
        waiting.add(wait);
        return wait;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    void wakeAll() {
        if (waiting.isEmpty()) {
            return;
        }
        Set<Wait> woken = waiting;
        waiting = new LinkedHashSet<>(1);
        for (Wait wait : woken) {
            wait.wake.run();
        }
    }
}
