package io.sluice.listener.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// How far a partition has been worked through: what is in flight, what comes again later, and up to where everything is done.
///
/// ```
///        committed            in flight   deferred    in flight    front
///  ──────────┤ done done done     5     done  7   done done   10     ├──── not seen yet
///            └─ the commit stays here: everything below it is done
/// ```
/// A deferred record is known by its offset only; it is fetched again when it is due. So a full lane or a retry costs no memory, and holds up nobody
/// but the records of its own order.
///
/// Owned by the consumer's thread. Time comes in with the call.
final class PartitionProgress {
    /// When a record comes again.
    ///
    /// @param dueNanos at this time
    /// @param lane or as soon as this lane has room, if that is what it waits for
    record When(long dueNanos, @Nullable String lane) {
        When(long dueNanos) {
            this(dueNanos, null);
        }

        boolean isNow(long nowNanos, Predicate<String> room) {
            return nowNanos - dueNanos >= 0 || (lane != null && room.test(lane));
        }
    }

    /// A record that comes again.
    ///
    /// @param blocks the order whose later records have to wait for it, if any
    record Deferred(When when, int attempt, @Nullable String blocks) {}

    /// How often to look whether a full lane has room again.
    private static final long LOOK_FOR_ROOM = 20_000_000;

    /// What others have tried before us, of records that we have not begun.
    private final SortedMap<Long, Integer> before;

    private final TreeMap<Long, Integer> inFlight = new TreeMap<>();
    private final TreeMap<Long, Deferred> deferred = new TreeMap<>();
    private final Map<String, TreeSet<Long>> blocked = new HashMap<>();
    private final long start;
    private long front = -1;
    private boolean gone;

    PartitionProgress() {
        this(0, new TreeMap<>());
    }

    /// @param start where reading begins
    /// @param before the how-manieth attempt the next one is, by offset, where it is not the first
    PartitionProgress(long start, SortedMap<Long, Integer> before) {
        this.start = start;
        this.before = new TreeMap<>(before);
    }

    /// The partition belongs to somebody else from now on; verdicts that come later change nothing.
    void leave() {
        gone = true;
    }

    boolean gone() {
        return gone;
    }

    /// The next offset that has never been seen; -1 before the first record.
    long front() {
        return front;
    }

    /// Where to read on when nobody knows what has been read since.
    long readsOn() {
        return front < 0 ? start : front;
    }

    /// Whether a fetched record is to be delivered now.
    boolean wants(long offset, long nowNanos, Predicate<String> room) {
        if (offset >= front) {
            return true;
        }
        Deferred again = deferred.get(offset);
        return again != null && again.when().isNow(nowNanos, room);
    }

    /// The record is new and an earlier one of its order waits: it has to come after that one.
    @Nullable Deferred blocker(@Nullable String order, long offset) {
        TreeSet<Long> waiting = order == null ? null : blocked.get(order);
        Long first = waiting == null ? null : waiting.lower(offset);
        return first == null ? null : deferred.get(first);
    }

    /// The how-manieth attempt it would be.
    int attemptAt(long offset) {
        Deferred again = deferred.get(offset);
        return again == null ? before.getOrDefault(offset, 1) : again.attempt();
    }

    /// Its job is at this attempt by now, without having left its slot.
    void attempting(long offset, int attempt) {
        inFlight.computeIfPresent(offset, (key, known) -> Math.max(known, attempt));
    }

    /// The attempts of what is not done, where it is not the first.
    SortedMap<Long, Integer> attempts() {
        // What lies below was deleted before we came to it.
        SortedMap<Long, Integer> attempts = new TreeMap<>(before.tailMap(committable()));
        attempts.putAll(inFlight);
        deferred.forEach((offset, again) -> attempts.put(offset, again.attempt()));
        attempts.values().removeIf(attempt -> attempt == 1);
        return attempts;
    }

    /// It has been delivered.
    void begin(long offset) {
        inFlight.put(offset, attemptAt(offset));
        // Only now, when nothing takes memory any more: below the front, and neither in flight nor
        // deferred, it would count as done.
        front = Math.max(front, offset + 1);
        forget(offset);
        before.remove(offset);
    }

    void done(long offset) {
        inFlight.remove(offset);
    }

    /// It comes again.
    ///
    /// @param failed whether this was an attempt
    void defer(long offset, When when, boolean failed, @Nullable String blocks) {
        front = Math.max(front, offset + 1);
        Integer attempt = inFlight.get(offset);
        int attempts = attempt != null ? attempt : attemptAt(offset);
        var again = new Deferred(when, failed ? attempts + 1 : attempts, blocks);
        forget(offset);
        deferred.put(offset, again);
        if (blocks != null) {
            blocked.computeIfAbsent(blocks, order -> new TreeSet<>()).add(offset);
        }
        // Last, when nothing takes memory any more: said once more it must be the same.
        before.remove(offset);
        inFlight.remove(offset);
    }

    private void forget(long offset) {
        Deferred known = deferred.remove(offset);
        if (known != null && known.blocks() != null) {
            TreeSet<Long> waiting = blocked.get(known.blocks());
            if (waiting != null && waiting.remove(offset) && waiting.isEmpty()) {
                blocked.remove(known.blocks());
            }
        }
    }

    /// The broker no longer has the records of these offsets, so none of them comes again.
    ///
    /// @return how many of them were to
    int vanished(long from, long to) {
        List<Long> gone = List.copyOf(deferred.subMap(from, to).keySet());
        gone.forEach(this::forget);
        return gone.size();
    }

    int inFlight() {
        return inFlight.size();
    }

    int deferred() {
        return deferred.size();
    }

    /// The first deferred record that is due; -1 when there is none.
    long firstDue(long nowNanos, Predicate<String> room) {
        for (Map.Entry<Long, Deferred> entry : deferred.entrySet()) {
            if (entry.getValue().when().isNow(nowNanos, room)) {
                return entry.getKey();
            }
        }
        return -1;
    }

    /// How long until something is due; never, when there is nothing.
    long nanosUntilDue(long nowNanos) {
        long nearest = Long.MAX_VALUE;
        for (Deferred again : deferred.values()) {
            long left = again.when().dueNanos() - nowNanos;
            nearest =
                    Math.min(
                            nearest,
                            again.when().lane() == null ? left : Math.min(left, LOOK_FOR_ROOM));
        }
        return Math.max(0, nearest);
    }

    /// Everything below is done; -1 before the first record.
    long committable() {
        long lowest = front;
        if (!inFlight.isEmpty()) {
            lowest = Math.min(lowest, inFlight.firstKey());
        }
        if (!deferred.isEmpty()) {
            lowest = Math.min(lowest, deferred.firstKey());
        }
        return lowest;
    }
}
