package io.sluice.outbox;

import io.sluice.outbox.wal.Change;
import io.sluice.outbox.wal.Slot;
import io.sluice.outbox.wal.WalCursor;
import io.sluice.outbox.wal.WalStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/// How far a stream is: saved with all lanes, told to the slot once it is saved, and marked in the log itself.
///
/// Owned by the publishing thread.
final class WalProgress {
    private static final Duration BETWEEN_SAVES = Duration.ofMillis(200);
    private static final Duration BETWEEN_MARKS = Duration.ofMillis(500);
    private static final Duration BETWEEN_IDLE_MARKS = Duration.ofSeconds(5);

    /// Saving names every transaction since the last mark, and there may be thousands: at most this part of the time goes into it.
    private static final int PART_OF_TIME = 10;

    private final OutboxTable table;
    private final OwnedLanes lanes;
    private final RelayStatus status;
    private final Slot slot;
    private final WalCursor cursor;
    private final WalStream stream;
    private long savedAtNanos = System.nanoTime();
    private long savingNanos;
    private long markedAtNanos = System.nanoTime() - BETWEEN_IDLE_MARKS.toNanos();
    private long firstMark;

    WalProgress(
            OutboxTable table,
            OwnedLanes lanes,
            RelayStatus status,
            Slot slot,
            WalCursor cursor,
            WalStream stream) {
        this.table = table;
        this.lanes = lanes;
        this.status = status;
        this.slot = slot;
        this.cursor = cursor;
        this.stream = stream;
    }

    /// These are published.
    void done(List<Change> changes) {
        for (Change change : changes) {
            switch (change) {
                case Change.Row row -> cursor.published(row.xid());
                case Change.End end -> cursor.ended(end.endLsn());
                case Change.Mark mark -> cursor.marked(mark.snapshot());
            }
        }
    }

    /// Whether all has come that a predecessor can have published.
    boolean isBeyondPredecessor() {
        return firstMark != 0 && cursor.lsn() >= firstMark;
    }

    /// Saves and marks when it is time.
    void keep(Connection connection) throws SQLException {
        if (cursor.isLong()) {
            cursor.fold(connection, table);
            status.statement();
        }
        long now = System.nanoTime();
        long betweenSaves = Math.max(BETWEEN_SAVES.toNanos(), savingNanos * PART_OF_TIME);
        if (cursor.isUnsaved() && now - savedAtNanos > betweenSaves) {
            save(connection);
            savedAtNanos = System.nanoTime();
            savingNanos = savedAtNanos - now;
        }
        Duration betweenMarks = cursor.hasMoved() ? BETWEEN_MARKS : BETWEEN_IDLE_MARKS;
        if (now - markedAtNanos >= betweenMarks.toNanos()) {
            markedAtNanos = now;
            long mark = slot.mark(connection);
            firstMark = firstMark == 0 ? mark : firstMark;
            status.statement();
        }
    }

    private void save(Connection connection) throws SQLException {
        // So that partitions can go, and people see how far it is.
        lanes.all().forEach(lane -> lane.close(cursor.seen()));
        lanes.saveAll(connection);
        status.statement();
        if (!cursor.isUnsaved()) {
            stream.confirm(cursor.lsn());
        }
    }
}
