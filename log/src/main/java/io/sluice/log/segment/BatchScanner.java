package io.sluice.log.segment;

import io.sluice.env.DiskFile;
import io.sluice.record.BatchReader;
import io.sluice.record.BatchReader.Flaw;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Steps over the batches in a range of a file, in constant memory whatever lengths the bytes claim.
///
/// Stops at the first batch that is not whole and sound; zeros are not a batch. Owned by its creator; blocks while
/// it reads what is not in the page cache.
public final class BatchScanner {
    private static final int VERIFYING_WINDOW_BYTES = 256 << 10;
    private static final int WALKING_WINDOW_BYTES = 8 << 10;

    private final DiskFile file;
    private final long end;
    private final boolean verifyChecksums;
    private final ByteBuffer window;
    private final ByteBuffer header = ByteBuffer.allocate(RecordBatch.HEADER_BYTES);
    private final RecordBatch batch = RecordBatch.at(header, 0);
    private long windowAt;
    private long batchAt;
    private long nextAt;
    private @Nullable Flaw flaw;

    private BatchScanner(DiskFile file, long from, long end, boolean verifyChecksums) {
        this.file = file;
        this.end = end;
        this.verifyChecksums = verifyChecksums;
        int wanted = verifyChecksums ? VERIFYING_WINDOW_BYTES : WALKING_WINDOW_BYTES;
        this.window =
                ByteBuffer.allocate(
                        (int)
                                Math.clamp(
                                        end - from,
                                        (long) RecordBatch.HEADER_BYTES,
                                        (long) wanted));
        window.limit(0);
        this.batchAt = from;
        this.nextAt = from;
    }

    /// Reads every byte and checks every checksum.
    public static BatchScanner verifying(DiskFile file, long from, long end) {
        return new BatchScanner(file, from, end, true);
    }

    /// Reads headers only, for bytes that were checked before.
    public static BatchScanner walking(DiskFile file, long from, long end) {
        return new BatchScanner(file, from, end, false);
    }

    /// The next sound batch's header, or null at the end or at a flaw. Valid until the next call; [#wholeBatch] has the records.
    public @Nullable RecordBatch next() {
        if (flaw != null || nextAt >= end) {
            return null;
        }
        batchAt = nextAt;
        flaw = readHeader();
        if (flaw == null && verifyChecksums && !checksumHolds()) {
            flaw = Flaw.BAD_CHECKSUM;
        }
        if (flaw != null) {
            return null;
        }
        nextAt = batchAt + batch.sizeInBytes();
        return batch;
    }

    /// The sound batch behind the one that [#next] returned, without going there; null when there is none.
    public @Nullable RecordBatch peek() {
        return new BatchScanner(file, nextAt, end, true).next();
    }

    /// Where the batch that [#next] returned, or the flaw it found, begins.
    public long batchPosition() {
        return batchAt;
    }

    /// Where the next batch begins: the end of the sound bytes so far.
    public long position() {
        return flaw == null ? nextAt : batchAt;
    }

    public @Nullable Flaw flaw() {
        return flaw;
    }

    /// The end of the range that is scanned.
    public long end() {
        return end;
    }

    /// The header at a flaw, to guess where the damage ends; only meaningful when the checksum is the flaw.
    public RecordBatch flawedHeader() {
        return batch;
    }

    /// Goes on behind a flaw.
    public void skipTo(long position) {
        flaw = null;
        nextAt = position;
    }

    /// All bytes of the batch that [#next] returned.
    public RecordBatch wholeBatch() {
        ByteBuffer bytes = ByteBuffer.allocate(batch.sizeInBytes());
        file.read(bytes, batchAt);
        return RecordBatch.at(bytes.flip(), 0);
    }

    private @Nullable Flaw readHeader() {
        long available = end - batchAt;
        if (available < RecordBatch.HEADER_BYTES || !hold(batchAt, RecordBatch.HEADER_BYTES)) {
            return Flaw.TRUNCATED;
        }
        int at = (int) (batchAt - windowAt);
        header.put(0, window, at, RecordBatch.HEADER_BYTES);
        return BatchReader.flawInHeader(header, 0, available);
    }

    private boolean checksumHolds() {
        CRC32C crc = new CRC32C();
        long at = batchAt + RecordBatch.CHECKSUMMED_FROM;
        long batchEnd = batchAt + batch.sizeInBytes();
        while (at < batchEnd) {
            if (!hold(at, 1)) {
                return false;
            }
            int from = (int) (at - windowAt);
            int count = (int) Math.min(window.limit() - from, batchEnd - at);
            crc.update(window.array(), window.arrayOffset() + from, count);
            at += count;
        }
        return (int) crc.getValue() == batch.checksum();
    }

    /// Makes the window hold this many bytes from the position on; false when the file is too short.
    private boolean hold(long position, int bytes) {
        if (position >= windowAt && position + bytes <= windowAt + window.limit()) {
            return true;
        }
        window.clear();
        window.limit((int) Math.min(window.capacity(), end - position));
        windowAt = position;
        file.read(window, position);
        window.flip();
        return window.limit() >= bytes;
    }
}
