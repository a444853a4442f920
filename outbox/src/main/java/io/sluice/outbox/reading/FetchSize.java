package io.sluice.outbox.reading;

import io.sluice.outbox.lanes.Event;
import java.util.List;

/// How many rows of a backlog are fetched at once: some hundreds, fewer where rows are large.
///
/// A database cannot be asked for so many bytes, and what it sends at once is in memory at once. So the first fetch is small, each that follows at most
/// four times as large, and all that is fetched together may be expected to take half of what a page may. Rows need not be as large as those before them: a
/// thousand times as large, and a whole page of them would be more than there is memory. So however small they were, a fetch has a bound in rows, and what is in
/// memory at once is a page's bytes and the rows of one fetch.
///
/// Owned by one thread.
final class FetchSize {
    private static final int FIRST = 200;
    private static final int GROWTH = 4;
    private static final int MOST = 500;

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
        trusted = Math.clamp(more, FIRST, MOST);
    }
}
