package io.sluice.log;

import io.sluice.env.DiskException;
import io.sluice.log.recovery.DurablePoint;
import io.sluice.record.Invariant;
import org.jspecify.annotations.Nullable;

/// How far the log is on disk, and whether the disk can still be believed.
///
/// ```
///   online ──begin──▶ flushing ──complete──▶ online (durable point moves)
///      └──────────────── fail ───────────────▶ offline, for good: a failed force is never repeated
/// ```
/// Owned by its shard.
final class Durability {
    private DurablePoint durable;
    private boolean flushing;
    private @Nullable LogOffline offline;

    /// Names in the folder that a crash could still undo.
    private boolean namesChanged;

    private boolean folderCreated;

    Durability(DurablePoint durable) {
        this.durable = durable;
    }

    DurablePoint durable() {
        return durable;
    }

    @Nullable LogOffline offline() {
        return offline;
    }

    boolean isFlushing() {
        return flushing;
    }

    void nameChanged() {
        namesChanged = true;
    }

    void folderCreated() {
        folderCreated = true;
        namesChanged = true;
    }

    boolean namesChanged() {
        return namesChanged;
    }

    boolean isFolderCreated() {
        return folderCreated;
    }

    void begin() {
        Invariant.check(!flushing, "two flushes of one log at a time");
        flushing = true;
    }

    /// Names that change while a flush is under way belong to the next one.
    void namesTaken() {
        namesChanged = false;
        folderCreated = false;
    }

    void complete(DurablePoint reached) {
        Invariant.check(flushing, "a flush completed that was not begun");
        Invariant.check(
                reached.offset() >= durable.offset(),
                "the durable offset goes back",
                reached.offset(),
                durable.offset());
        flushing = false;
        durable = reached;
    }

    /// The flush under way has failed.
    void flushFailed(DiskException cause) {
        flushing = false;
        fail(cause);
    }

    /// The log can no longer be written. A flush that is under way still tells how it ended.
    void fail(DiskException cause) {
        if (offline == null) {
            offline = new LogOffline(String.valueOf(cause.getMessage()));
        }
    }

    /// No more appends, for another reason than a failure.
    void close(String reason) {
        if (offline == null) {
            offline = new LogOffline(reason);
        }
    }
}
