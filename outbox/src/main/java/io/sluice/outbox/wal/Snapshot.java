package io.sluice.outbox.wal;

import java.util.Collection;
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

    /// The snapshot in which these are visible too. Of the transactions between its end and theirs nothing else is.
    Snapshot with(Collection<Long> more) {
        TreeSet<Long> stillOpen = new TreeSet<>(open);
        long end = xmax;
        for (long xid : more) {
            end = Math.max(end, xid + 1);
        }
        for (long xid = xmax; xid < end; xid++) {
            stillOpen.add(xid);
        }
        stillOpen.removeAll(more);
        return new Snapshot(stillOpen.isEmpty() ? end : stillOpen.first(), end, stillOpen);
    }

    String text() {
        StringBuilder text = new StringBuilder().append(xmin).append(':').append(xmax).append(':');
        open.forEach(xid -> text.append(xid).append(xid.equals(open.last()) ? "" : ","));
        return text.toString();
    }
}
