package io.sluice.listener.sqs;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The messages that went back because their lane is full, by what they can be called back with. They are in the queue, invisible, and not in this process.
///
/// ```
///  lane full ──▶ parked ──its time has come──▶ visible again
///                   └──── its lane has room ──▶ called back: made visible at once
/// ```
/// Thread-safe: each call is one step under its lock. Time comes in with the call.
final class Parked {
    /// How long a message that was called back may take to arrive; after that somebody else has it.
    private static final long ARRIVES_NANOS = Duration.ofMillis(500).toNanos();

    private record One(String handle, long untilNanos) {}

    /// What is known about a lane: the parked ones, in the order of their appointments, and when the last ones were called.
    private static final class Waiting {
        final ArrayDeque<One> parked = new ArrayDeque<>();
        final ArrayDeque<Long> called = new ArrayDeque<>();
    }

    private final Map<String, Waiting> lanes = new HashMap<>();
    private final int most;
    private int size;

    /// @param most what is parked beyond that number comes again when its time has come, and not before
    Parked(int most) {
        this.most = most;
    }

    synchronized boolean isEmpty() {
        return size == 0;
    }

    synchronized Set<String> lanes() {
        return new HashSet<>(lanes.keySet());
    }

    /// @param untilNanos not later than it becomes visible by itself
    synchronized void park(String lane, String handle, long untilNanos) {
        if (size < most) {
            lanes.computeIfAbsent(lane, name -> new Waiting())
                    .parked
                    .addLast(new One(handle, untilNanos));
            size++;
        }
    }

    /// Whom to call back into so many free slots. They are no longer parked afterwards.
    ///
    /// One whose time has come is visible already. It may even be at work again, and to make it visible would have it done twice.
    synchronized List<String> call(String lane, int free, long nowNanos) {
        Waiting waiting = lanes.get(lane);
        if (waiting == null) {
            return List.of();
        }
        while (!waiting.called.isEmpty()
                && nowNanos - waiting.called.peekFirst() >= ARRIVES_NANOS) {
            waiting.called.removeFirst();
        }
        List<String> handles = new ArrayList<>();
        while (!waiting.parked.isEmpty() && waiting.called.size() < free) {
            One next = waiting.parked.removeFirst();
            size--;
            if (next.untilNanos() - nowNanos > 0) {
                handles.add(next.handle());
                waiting.called.addLast(nowNanos);
            }
        }
        return handles;
    }

    /// Everything that is still invisible, when nobody will have room any more.
    synchronized List<String> callAll(long nowNanos) {
        List<String> handles = new ArrayList<>();
        for (Waiting waiting : lanes.values()) {
            for (One one : waiting.parked) {
                if (one.untilNanos() - nowNanos > 0) {
                    handles.add(one.handle());
                }
            }
        }
        lanes.clear();
        size = 0;
        return handles;
    }
}
