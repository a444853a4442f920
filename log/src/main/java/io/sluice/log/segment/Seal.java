package io.sluice.log.segment;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;

/// Closes a full segment for good: cuts the room ahead, forces the bytes, then writes the index that says so.
///
/// Made by the owner, run by a worker, completed by the owner. The order is what recovery relies on: a sealed index proves durable bytes.
public final class Seal {
    private final Segment segment;
    private final SegmentFacts facts;
    private final SparseIndex index;
    private final DiskFile file;
    private boolean released;
    private boolean indexWritten;

    /// Retains the file until [#run] or [#release].
    public Seal(Segment segment, SparseIndex index, long nowNanos) {
        this.segment = segment;
        this.facts = segment.facts().asSealed();
        this.index = index.view();
        this.file = segment.file(nowNanos);
        file.retain();
    }

    public Segment segment() {
        return segment;
    }

    /// On a worker. Throws when the bytes may not be durable; a full disk only leaves the index unwritten.
    public void run() {
        try {
            file.truncate(facts.sizeInBytes());
            file.force();
        } finally {
            release();
        }
        try {
            IndexFile.write(segment.folder(), facts, index);
            indexWritten = true;
        } catch (DiskException e) {
            if (e.kind() != DiskException.Kind.FULL) {
                throw e;
            }
        }
    }

    /// Gives the file back if that was not done yet: for a seal that will not run.
    public void release() {
        if (!released) {
            released = true;
            file.close();
        }
    }

    /// On the owner. False when the index could not be written and the seal has to be tried again.
    public boolean complete() {
        if (indexWritten) {
            segment.learn(facts);
        }
        return indexWritten;
    }
}
