package io.sluice.log;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.log.recovery.DurablePoint;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.Seal;
import io.sluice.log.state.LogSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One group commit: everything that was in the log when it was begun is on disk when it has run.
///
/// Begun by the owner ([PartitionLog#beginFlush]), run by a FLUSH worker, completed or failed on the owner. Order: full segments first, then the
/// active one, then the names; so a batch is never durable before those in front of it.
public final class Flush {
    private final LogFolder folder;
    private final List<Rolled> rolled;
    private final @Nullable ActivePart active;
    private final Names names;
    private final DurablePoint end;

    /// A full segment, and the state of the log at its end if that is known.
    record Rolled(Seal seal, @Nullable LogSnapshot snapshot) {}

    /// @param file retained for this flush
    /// @param sidecars null when they are not due
    record ActivePart(DiskFile file, @Nullable Sidecars sidecars) {}

    /// Which directories have to be synced.
    enum Names {
        UNCHANGED,
        FOLDER,
        FOLDER_AND_PARENT
    }

    Flush(
            LogFolder folder,
            List<Rolled> rolled,
            @Nullable ActivePart active,
            Names names,
            DurablePoint end) {
        this.folder = folder;
        this.rolled = rolled;
        this.active = active;
        this.names = names;
        this.end = end;
    }

    /// On a worker. Throws [DiskException] when durability is not proven; give it to [PartitionLog#failFlush].
    public void run() {
        forceFiles();
        syncFolder();
        if (names == Names.FOLDER_AND_PARENT) {
            folder.syncParent();
        }
        writeSidecars();
    }

    /// Lets go of every file, however it ends.
    private void forceFiles() {
        try {
            for (Rolled segment : rolled) {
                segment.seal().run();
                writeSnapshot(segment.snapshot());
            }
            if (active != null) {
                active.file().force();
            }
        } finally {
            releaseFiles();
        }
    }

    private void releaseFiles() {
        for (Rolled segment : rolled) {
            segment.seal().release();
        }
        if (active != null) {
            active.file().close();
        }
    }

    private void syncFolder() {
        if (names != Names.UNCHANGED || !rolled.isEmpty()) {
            folder.sync();
        }
    }

    private void writeSidecars() {
        if (active != null && active.sidecars() != null) {
            active.sidecars().write(folder);
        }
    }

    /// The end of what this flush makes durable.
    public long endOffset() {
        return end.offset();
    }

    DurablePoint end() {
        return end;
    }

    List<Rolled> rolled() {
        return rolled;
    }

    private void writeSnapshot(@Nullable LogSnapshot snapshot) {
        if (snapshot == null) {
            return;
        }
        try {
            snapshot.write(folder, true);
            LogSnapshot.prune(folder);
        } catch (DiskException e) {
            if (e.kind() != DiskException.Kind.FULL) {
                throw e;
            }
            // Recovery replays from an older one.
        }
    }
}
