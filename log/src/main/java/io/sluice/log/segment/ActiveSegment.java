package io.sluice.log.segment;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.record.Invariant;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The last segment of a log, the only one that is written.
///
/// Its bytes were all checked by this process, when they were appended or when they were recovered above the durable point. Owned by its shard.
public final class ActiveSegment {
    private final Segment segment;
    private final SparseIndex index;
    private @Nullable RecentBatches recent;
    private long filledBytes;

    /// @param index complete; grows with the segment
    public ActiveSegment(Segment segment, SparseIndex index) {
        this.segment = segment;
        this.index = index;
        segment.learn(index);
    }

    /// A new one. The file is created with the first write.
    public static ActiveSegment begin(LogFolder folder, long baseOffset) {
        SparseIndex index = new SparseIndex();
        return new ActiveSegment(new Segment(folder, SegmentFacts.empty(baseOffset), index), index);
    }

    public Segment segment() {
        return segment;
    }

    public int sizeInBytes() {
        return segment.sizeInBytes();
    }

    /// Up to where zeros were written ahead, or tried to be; see [RoomAhead].
    public long filledBytes() {
        return filledBytes;
    }

    /// Writes zeros behind the last batch, up to this size of the file, unless the disk is about to be full.
    ///
    /// On the owner's thread: a batch that is appended at the same time could otherwise be overwritten.
    public void fillAhead(long size, long nowNanos) {
        DiskFile file = segment.file(nowNanos);
        long from = Math.max(filledBytes, segment.sizeInBytes());
        filledBytes = size;
        try {
            if (segment.folder().disk().usableBytes() / 16 < size - from) {
                return;
            }
            file.write(RoomAhead.zeros((int) (size - from)), from);
        } catch (DiskException _) {
            return; // It was only to be faster; the force tells if the disk is broken.
        }
    }

    /// Writes whole batches behind the last one, with one call. The segment counts them only once [#note] is told of each.
    ///
    /// When the disk is full whatever was written of them is cut off again, so that a refused batch can't come back after a restart.
    public void write(ByteBuffer batches, long nowNanos) {
        DiskFile file = segment.file(nowNanos);
        int start = batches.position();
        try {
            file.write(batches, segment.sizeInBytes());
        } catch (DiskException e) {
            if (e.kind() == DiskException.Kind.FULL) {
                file.truncate(segment.sizeInBytes());
                filledBytes = 0;
            }
            throw e;
        } finally {
            batches.position(start);
        }
    }

    /// Counts a batch that was written, in order.
    public void note(RecordBatch batch, int indexIntervalBytes) {
        SegmentFacts before = segment.facts();
        long relativeOffset = batch.baseOffset() - before.baseOffset();
        Invariant.check(
                batch.baseOffset() >= before.endOffset() && relativeOffset <= Integer.MAX_VALUE,
                "a batch does not belong here",
                batch.baseOffset(),
                before.endOffset());
        index.consider(
                (int) relativeOffset,
                before.sizeInBytes(),
                before.maxTimestamp(),
                indexIntervalBytes,
                batch.baseOffset() != before.endOffset());
        segment.learn(before.with(batch));
        segment.verified().add(before.sizeInBytes(), segment.sizeInBytes());
        recentBatches(before).add(segment.endOffset(), segment.sizeInBytes());
    }

    private RecentBatches recentBatches(SegmentFacts before) {
        RecentBatches ring = recent;
        if (ring == null) {
            ring = new RecentBatches();
            ring.add(before.endOffset(), before.sizeInBytes());
            recent = ring;
        }
        return ring;
    }

    @Nullable RecentBatches recent() {
        return recent;
    }

    /// Gives back what an idle partition does not need: the file handle, the room ahead, the memory of recent batches.
    ///
    /// The caller makes sure that everything written is durable.
    public void rest() {
        if (segment.isOpen() && filledBytes > segment.sizeInBytes()) {
            try {
                segment.file(segment.lastUsedNanos()).truncate(segment.sizeInBytes());
            } catch (DiskException _) {
                // Zeros behind the batches are no batch; the room is only not given back yet.
            }
        }
        filledBytes = 0;
        recent = null;
        segment.rest();
    }
}
