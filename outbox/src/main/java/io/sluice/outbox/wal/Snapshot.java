package io.sluice.outbox.wal;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/// PostgreSQL's `pg_snapshot`: transactions below `xmax` are visible in it, but for those that were open.
///
/// Immutable.
record Snapshot(long xmin, long xmax, TreeSet<Long> open) {
    static Snapshot of(String text) {
        String[] parts = text.split(":", -1);
        TreeSet<Long> open = new TreeSet<>();
        for (String xid : parts[2].split(",")) {
            if (!xid.isEmpty()) {
                open.add(Long.valueOf(xid));
            }
        }
        return new Snapshot(Long.parseLong(parts[0]), Long.parseLong(parts[1]), open);
    }

    boolean shows(long xid) {
        return xid < xmax && !open.contains(xid);
    }

    /// Whether everything is visible in it that is visible in the other.
    boolean includes(Snapshot other) {
        return xmax >= other.xmax && open.stream().noneMatch(other::shows);
    }

    /// The snapshot in which these are visible too, up to the highest of them. Of the others up to there, those are not visible that have not
    /// ended yet or have something to publish; all that is known to be over and have nothing is visible, or the list of those that are not
    /// would grow with every transaction of the database.
    ///
    /// @param published transactions that become visible
    /// @param now what has ended by now
    /// @param written transactions that have events, as `now` shows them
    Snapshot with(Collection<Long> published, Snapshot now, Collection<Long> written) {
        Set<Long> done = Set.copyOf(published);
        long end = xmax;
        for (long xid : done) {
            end = Math.max(end, xid + 1);
        }
        TreeSet<Long> left = new TreeSet<>(written);
        left.addAll(now.open.headSet(end));
        for (long xid = now.xmax; xid < end; xid++) {
            left.add(xid);
        }
        left.removeIf(xid -> shows(xid) || done.contains(xid));
        TreeSet<Long> below = new TreeSet<>(left.headSet(end));
        return new Snapshot(below.isEmpty() ? end : below.first(), end, below);
    }

    String text() {
        StringBuilder text = new StringBuilder().append(xmin).append(':').append(xmax).append(':');
        open.forEach(xid -> text.append(xid).append(xid.equals(open.last()) ? "" : ","));
        return text.toString();
    }
}
