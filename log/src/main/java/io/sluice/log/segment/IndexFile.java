package io.sluice.log.segment;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// A segment's facts and sparse index on disk. A hint that is rebuilt when it is wrong, except for one claim: a file that says *sealed*
/// was written after the segment's bytes were durable.
///
/// | at | bytes | field                                                        |
/// |----|-------|--------------------------------------------------------------|
/// | 0  | 4     | magic `SLIX`                                                 |
/// | 4  | 2     | version: 1                                                   |
/// | 6  | 2     | bit 0: sealed, otherwise a snapshot of a segment that is still written; bit 1: offsets without a gap |
/// | 8  | 8     | base offset                                                  |
/// | 16 | 8     | end offset                                                   |
/// | 24 | 4     | size of the batches in bytes                                 |
/// | 28 | 4     | number of entries                                            |
/// | 32 | 8     | latest timestamp, -1 for none                                |
/// | 40 | 8     | base offset of the batch with the latest timestamp           |
/// | 48 | 8     | latest timestamp in the first batch                          |
/// | 56 | 4     | CRC-32C of the entries                                       |
/// | 60 | 4     | CRC-32C of bytes 0 to 59                                     |
/// | 64 | 16 n  | entries: offset - base offset (4), position (4), latest timestamp before (8) |
public final class IndexFile {
    static final int MAGIC = 0x534C4958;
    static final short VERSION = 1;
    static final int HEADER_BYTES = 64;
    static final int ENTRY_BYTES = 16;
    private static final int SEALED_BIT = 1;
    private static final int DENSE_BIT = 2;
    private static final int ENTRIES_CRC_AT = 56;
    private static final int HEADER_CRC_AT = 60;

    private IndexFile() {}

    public record Content(SegmentFacts facts, SparseIndex index) {}

    /// Writes the whole file anew. A sealed one is forced; the caller syncs the directory.
    public static void write(LogFolder folder, SegmentFacts facts, SparseIndex index) {
        folder.replace(
                LogFolder.name(facts.baseOffset(), LogFolder.INDEX),
                encode(facts, index),
                facts.sealed());
    }

    /// The header alone; null when there is none that can be believed.
    public static @Nullable SegmentFacts readFacts(LogFolder folder, long baseOffset) {
        return readFacts(folder, baseOffset, LogFolder.INDEX);
    }

    /// The same from a file with another suffix: an index that is not in place yet.
    static @Nullable SegmentFacts readFacts(LogFolder folder, long baseOffset, String suffix) {
        ByteBuffer header = read(folder.disk(), folder.path(baseOffset, suffix), HEADER_BYTES);
        return header == null ? null : decodeHeader(header, baseOffset);
    }

    /// True for one that was written and cannot be believed any more; false for one whose bytes a crash has lost.
    public static boolean isDamaged(LogFolder folder, long baseOffset) {
        ByteBuffer header =
                read(folder.disk(), folder.path(baseOffset, LogFolder.INDEX), HEADER_BYTES);
        if (header == null || decodeHeader(header, baseOffset) != null) {
            return false;
        }
        boolean written = false;
        while (header.hasRemaining()) {
            written |= header.get() != 0;
        }
        return written;
    }

    /// Everything; null when there is none that can be believed.
    public static @Nullable Content read(LogFolder folder, long baseOffset) {
        ByteBuffer bytes =
                read(folder.disk(), folder.path(baseOffset, LogFolder.INDEX), Integer.MAX_VALUE);
        return bytes == null ? null : decode(bytes, baseOffset);
    }

    static ByteBuffer encode(SegmentFacts facts, SparseIndex index) {
        ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + ENTRY_BYTES * index.count());
        int bits = (facts.sealed() ? SEALED_BIT : 0) | (facts.dense() ? DENSE_BIT : 0);
        out.putInt(MAGIC).putShort(VERSION).putShort((short) bits);
        out.putLong(facts.baseOffset()).putLong(facts.endOffset());
        out.putInt(facts.sizeInBytes()).putInt(index.count());
        out.putLong(facts.maxTimestamp()).putLong(facts.maxTimestampOffset());
        out.putLong(facts.firstTimestamp());
        out.position(HEADER_BYTES);
        for (int i = 0; i < index.count(); i++) {
            out.putInt(index.relativeOffset(i)).putInt(index.position(i));
            out.putLong(index.maxTimestampBefore(i));
        }
        out.putInt(ENTRIES_CRC_AT, checksum(out, HEADER_BYTES, out.capacity()));
        out.putInt(HEADER_CRC_AT, checksum(out, 0, HEADER_CRC_AT));
        return out.flip();
    }

    static @Nullable Content decode(ByteBuffer bytes, long baseOffset) {
        SegmentFacts facts = decodeHeader(bytes, baseOffset);
        if (facts == null) {
            return null;
        }
        int count = bytes.getInt(28);
        if (count < 0
                || bytes.limit() - HEADER_BYTES != (long) count * ENTRY_BYTES
                || checksum(bytes, HEADER_BYTES, bytes.limit()) != bytes.getInt(ENTRIES_CRC_AT)) {
            return null;
        }
        SparseIndex index = SparseIndex.sized(count);
        int lastPosition = -1;
        for (int i = 0; i < count; i++) {
            int at = HEADER_BYTES + i * ENTRY_BYTES;
            int position = bytes.getInt(at + 4);
            if (position <= lastPosition || position >= facts.sizeInBytes()) {
                return null;
            }
            lastPosition = position;
            index.add(bytes.getInt(at), position, bytes.getLong(at + 8));
        }
        return new Content(facts, index);
    }

    private static @Nullable SegmentFacts decodeHeader(ByteBuffer bytes, long baseOffset) {
        if (bytes.limit() < HEADER_BYTES
                || bytes.getInt(0) != MAGIC
                || bytes.getShort(4) != VERSION
                || checksum(bytes, 0, HEADER_CRC_AT) != bytes.getInt(HEADER_CRC_AT)
                || bytes.getLong(8) != baseOffset
                || bytes.getLong(16) < baseOffset
                || bytes.getInt(24) < 0) {
            return null;
        }
        return new SegmentFacts(
                baseOffset,
                bytes.getLong(16),
                bytes.getInt(24),
                bytes.getLong(32),
                bytes.getLong(40),
                bytes.getLong(48),
                (bytes.getShort(6) & DENSE_BIT) != 0,
                (bytes.getShort(6) & SEALED_BIT) != 0);
    }

    private static @Nullable ByteBuffer read(Disk disk, String path, int limit) {
        try (DiskFile file = disk.openForReading(path)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(limit, file.size()));
            file.read(bytes, 0);
            return bytes.flip();
        } catch (DiskException e) {
            if (e.kind() == DiskException.Kind.NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    private static int checksum(ByteBuffer bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(from, to - from));
        return (int) crc.getValue();
    }
}
