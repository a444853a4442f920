package io.sluice.outbox;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.wal.Change;
import io.sluice.outbox.wal.WalCursor;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Cuts the stream into batches of whole transactions, so that the table can take over exactly behind them; only a transaction that is larger
/// than a batch may be is cut. Leaves out what is published already.
///
/// Owned by the publishing thread.
final class WalIntake {
    /// Where changes come from.
    interface Source {
        /// All that has come since, or nothing if no transaction has become complete in that time.
        ///
        /// @throws SQLException if nothing more will come, and all that came is taken
        List<Change> take(Duration longest) throws SQLException, InterruptedException;
    }

    /// The source has nothing more.
    static final class Ended extends Exception {
        private static final long serialVersionUID = 1L;

        Ended(SQLException cause) {
            super(cause.getMessage(), cause);
        }
    }

    private static final Duration WAIT = Duration.ofMillis(20);

    private final Source source;
    private final WalCursor cursor;
    private final int mostEvents;
    private final long mostBytes;
    private final List<Change> waiting = new ArrayList<>();
    private long skip;

    /// @param cursor what is published already
    WalIntake(Source source, WalCursor cursor, int mostEvents, long mostBytes) {
        this.source = source;
        this.cursor = cursor;
        this.mostEvents = mostEvents;
        this.mostBytes = mostBytes;
        this.skip = cursor.index();
    }

    /// The next batch; empty if no transaction is complete.
    List<Change> take() throws Ended, InterruptedException {
        int end = cut();
        if (end == 0) {
            @Nullable SQLException ended = receive();
            end = cut();
            if (end == 0 && ended != null) {
                throw new Ended(ended);
            }
        }
        List<Change> batch = waiting.subList(0, end);
        List<Change> taken = List.copyOf(batch);
        batch.clear();
        return taken;
    }

    /// @return how many of the waiting changes are a batch
    private int cut() {
        int end = 0;
        int events = 0;
        long bytes = 0;
        for (int i = 0; i < waiting.size(); i++) {
            switch (waiting.get(i)) {
                case Change.Row row -> {
                    if (events >= mostEvents || bytes > mostBytes) {
                        return end == 0 ? i : end;
                    }
                    events++;
                    bytes += row.event().payload().size();
                }
                case Change.End complete -> end = i + 1;
                case Change.Mark mark -> {}
            }
        }
        return end;
    }

    /// @return why nothing more will come
    private @Nullable SQLException receive() throws InterruptedException {
        try {
            for (Change change : source.take(WAIT)) {
                if (!isKnown(change)) {
                    waiting.add(change);
                }
            }
            return null;
        } catch (SQLException e) {
            return e;
        }
    }

    /// Published from the table before the stream began, or by a predecessor that got no further in this transaction.
    private boolean isKnown(Change change) {
        if (!(change instanceof Change.Row row)) {
            return false;
        }
        boolean covered = cursor.covers(row.xid());
        if (!covered && skip > 0) {
            skip--;
            cursor.skipped(row.xid());
            return true;
        }
        return covered;
    }

    static List<Event> events(List<Change> changes) {
        List<Event> events = new ArrayList<>();
        for (Change change : changes) {
            if (change instanceof Change.Row row) {
                events.add(row.event());
            }
        }
        return events;
    }
}
