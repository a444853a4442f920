package io.sluice.outbox;

import io.sluice.outbox.wal.AwaitedMark;
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
    private final Slot slot;
    private final WalCursor cursor;
    private final WalStream stream;
    private long savedAtNanos = System.nanoTime();
    private long savingNanos;
    private long markedAtNanos = System.nanoTime() - BETWEEN_IDLE_MARKS.toNanos();
    private final AwaitedMark awaited = new AwaitedMark(System::nanoTime);
    private long firstMark;

    WalProgress(
            OutboxTable table, OwnedLanes lanes, Slot slot, WalCursor cursor, WalStream stream) {
        this.table = table;
        this.lanes = lanes;
        this.slot = slot;
        this.cursor = cursor;
        this.stream = stream;
    }

    /// These are published; with none, nothing has come.
    void done(List<Change> changes) {
        for (Change change : changes) {
            switch (change) {
                case Change.Row row -> cursor.published(row.xid());
                case Change.End end -> cursor.ended(end.endLsn());
                case Change.Mark mark -> cursor.marked(mark.snapshot());
            }
        }
        if (!changes.isEmpty()) {
            awaited.heard(cursor.lsn());
        }
    }

    /// Nothing was taken from the stream, or what was taken is not published yet.
    void waited() {
        awaited.unheard();
    }

    /// Whether all has come that a predecessor can have published.
    boolean isBeyondPredecessor() {
        return firstMark != 0 && cursor.lsn() >= firstMark;
    }

    /// Saves and marks when it is time.
    ///
    /// @throws WalIntake.Ended if marks do not come back
    void keep(Connection connection) throws SQLException, WalIntake.Ended {
        if (awaited.isMissing()) {
            requireRead(connection);
        }
        if (cursor.isLong()) {
            cursor.fold(connection, table);
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
            awaited.written(mark);
        }
    }

    /// A slot that nobody has read for long has much to go through before the first mark, and of other tables nothing comes. The database ends a
    /// stream whose reader does not answer it, so that one is alive as long as the slot is read.
    private void requireRead(Connection connection) throws SQLException, WalIntake.Ended {
        if (isBeyondPredecessor() || !slot.isRead(connection)) {
            throw new WalIntake.Ended(
                    new SQLException("the stream is silent: what was written does not come"));
        }
        awaited.unheard();
    }

    private void save(Connection connection) throws SQLException {
        // So that partitions can go, and people see how far it is.
        lanes.all().forEach(lane -> lane.close(cursor.seen()));
        lanes.saveAll(connection);
        if (!cursor.isUnsaved()) {
            stream.confirm(cursor.lsn());
        }
    }
}
