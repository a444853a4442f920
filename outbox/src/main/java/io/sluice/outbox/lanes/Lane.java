package io.sluice.outbox.lanes;

/// A lane that this relay owns: its number, the epoch of the ownership, and how far it is.
///
/// Owned by the publishing thread.
public final class Lane {
    private final int number;
    private final long epoch;
    private LaneCursor cursor;
    private boolean unsaved;
    private boolean openingUnsaved;

    public Lane(int number, long epoch, LaneCursor cursor) {
        this.number = number;
        this.epoch = epoch;
        this.cursor = cursor;
    }

    public int number() {
        return number;
    }

    public long epoch() {
        return epoch;
    }

    public LaneCursor cursor() {
        return cursor;
    }

    /// Whether a crash now would forget progress. A lane that merely found nothing in newer snapshots has nothing to save:
    /// reading again from the older one finds the same.
    public boolean isUnsaved() {
        return unsaved;
    }

    /// Whether what is visible in its bound is saved as being sent: nothing may be sent before.
    public boolean isBegun() {
        return cursor.isOpen() && !openingUnsaved;
    }

    /// Must be saved before an event is sent.
    public void open(String snapshot) {
        if (!cursor.isOpen()) {
            cursor = cursor.open(snapshot);
            unsaved = true;
            openingUnsaved = true;
        }
    }

    public void advance(long ord, long count) {
        cursor = cursor.advance(ord, count);
        unsaved = true;
    }

    public void close(String snapshot) {
        unsaved |= cursor.isOpen();
        cursor = cursor.close(snapshot);
    }

    public void reserve(long count) {
        cursor = cursor.reserve(count);
        unsaved |= count > 0;
    }

    /// Begins again with what is not visible in this snapshot.
    ///
    /// @param skipped numbers that are left out
    public void restart(String seen, long skipped) {
        cursor = new LaneCursor(seen, null, 0, cursor.sequence() + skipped);
        unsaved = true;
    }

    public void saved() {
        unsaved = false;
        openingUnsaved = false;
    }

    @Override
    public String toString() {
        return "lane " + number + " epoch " + epoch + " " + cursor;
    }
}
