package io.sluice.outbox.reading;

import io.sluice.outbox.lanes.Event;
import java.util.List;

/// How many rows of a backlog are fetched at once: a whole page, where rows are as large as those before, and that fits into memory.
///
/// A database cannot be asked for so many bytes, and what it sends at once is in memory at once. So the first fetch is small, each that follows at most
/// four times as large, and all that is fetched together may be expected to take half of what a page may.
///
/// Owned by one thread.
final class FetchSize {
    private static final int FIRST = 200;
    private static final int GROWTH = 4;

    private int trusted = FIRST;
    private long averageBytes;

    /// @param wanted rows, at most
    /// @param bytes that the page still has room for
    int next(int wanted, long bytes) {
        long fitting = averageBytes == 0 ? trusted : bytes / (2 * averageBytes);
        return (int) Math.max(1, Math.min(Math.min(wanted, trusted), fitting));
    }

    /// What has come, in whichever way.
    void came(List<Event> events) {
        if (events.isEmpty()) {
            return;
        }
        long bytes = 0;
        for (Event event : events) {
            bytes += event.payload().size();
        }
        averageBytes = Math.max(1, bytes / events.size());
        long more = (long) GROWTH * events.size();
        trusted = (int) Math.max(FIRST, Math.min(more, Integer.MAX_VALUE));
    }
}
