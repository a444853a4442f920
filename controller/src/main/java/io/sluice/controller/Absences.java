package io.sluice.controller;

import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;

/// Which brokers have been away for so long that their replicas are made anew elsewhere. Owned by the controller's mailbox.
///
/// Since when a broker is away is in the plan, in wall time, for the next controller. This one counts in its own time from the moment it knows of it, so that a clock that jumps moves no data;
/// a new controller waits a minute in any case.
final class Absences {
    static final long NEVER = Long.MAX_VALUE;
    private static final long AT_LEAST = Duration.ofMinutes(1).toNanos();

    private final long grace;
    private final SortedMap<Integer, Long> deadlines = new TreeMap<>();
    private long seenUntil = Long.MIN_VALUE;

    Absences(Duration grace) {
        this.grace = grace.toNanos();
    }

    void look(ClusterView view, long now, long wallMillis) {
        deadlines.keySet().removeIf(id -> !isAway(view, id));
        for (Member member : view.members().values()) {
            if (member.isAway() && !deadlines.containsKey(member.id())) {
                long gone = Math.max(0, wallMillis - member.awaySinceMillis());
                long left = grace - Math.min(grace, Duration.ofMillis(gone).toNanos());
                deadlines.put(member.id(), now + Math.max(left, Math.min(grace, AT_LEAST)));
            }
        }
    }

    private static boolean isAway(ClusterView view, int id) {
        Member member = view.members().get(id);
        return member != null && member.isAway();
    }

    /// Drained, away for too long, or not part of the cluster any more.
    boolean isUnwanted(ClusterView view, int broker, long now) {
        Member member = view.members().get(broker);
        Long deadline = deadlines.get(broker);
        return member == null || member.isDraining() || (deadline != null && deadline <= now);
    }

    /// A deadline has passed since [#seen].
    boolean hasNews(long now) {
        return deadlines.values().stream().anyMatch(at -> at <= now && at > seenUntil);
    }

    void seen(long now) {
        seenUntil = now;
    }

    long nextAt() {
        return deadlines.values().stream()
                .filter(at -> at > seenUntil)
                .min(Long::compare)
                .orElse(NEVER);
    }
}
