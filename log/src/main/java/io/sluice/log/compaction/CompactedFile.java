package io.sluice.log.compaction;

import io.sluice.env.DiskFile;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SegmentGrowth;
import io.sluice.log.segment.SegmentSwap;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;

/// The new segment that a compaction writes in the place of old ones. Owned by its compaction.
final class CompactedFile implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final LogFolder folder;
    private final SegmentGrowth growth;
    private final DiskFile file;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private long written;

    CompactedFile(LogFolder folder, long baseOffset, int indexIntervalBytes) {
        this.folder = folder;
        this.growth = SegmentGrowth.begin(baseOffset, indexIntervalBytes);
        this.file = SegmentSwap.create(folder, baseOffset);
    }

    void add(RecordBatch batch) {
        ByteBuffer bytes = batch.bytes();
        if (bytes.remaining() > buffer.remaining()) {
            drain();
        }
        if (bytes.remaining() > buffer.capacity()) {
            int size = bytes.remaining();
            file.write(bytes, written);
            written += size;
        } else {
            buffer.put(bytes);
        }
        growth.add(batch);
    }

    /// Makes the file durable. It covers the old offsets whether or not a record is left at their end.
    SegmentFacts finish(long endOffset) {
        drain();
        file.force();
        growth.skipTo(growth.facts().sizeInBytes(), endOffset);
        SegmentFacts facts = growth.facts().asSealed();
        SegmentSwap.writeIndex(folder, facts, growth.index());
        return facts;
    }

    private void drain() {
        buffer.flip();
        int size = buffer.remaining();
        file.write(buffer, written);
        written += size;
        buffer.clear();
    }

    @Override
    public void close() {
        file.close();
    }
}
