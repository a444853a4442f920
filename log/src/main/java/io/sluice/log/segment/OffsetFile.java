package io.sluice.log.segment;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// Remembers one offset of a log: [#START] when the oldest records were deleted by request (DeleteRecords), [#COMPACTED] when a compaction has run.
///
/// | at | bytes | field                     |
/// |----|-------|---------------------------|
/// | 0  | 4     | magic `SLOF`              |
/// | 4  | 2     | version: 1                |
/// | 6  | 2     | zero                      |
/// | 8  | 8     | the offset                |
/// | 16 | 4     | CRC-32C of bytes 0 to 15  |
///
/// Absent means 0: the log begins where its first segment does, nothing was compacted.
public final class OffsetFile {
    public static final String START = "start-offset";
    public static final String COMPACTED = "compacted-offset";
    static final int MAGIC = 0x534C4F46;
    static final short VERSION = 1;
    private static final int BYTES = 20;

    private OffsetFile() {}

    public static void write(LogFolder folder, String name, long offset) {
        folder.replace(name, encode(offset), true);
        folder.sync();
    }

    /// 0 when there is none. One that cannot be believed is as good as none: deleted records come back, nothing is lost.
    public static long read(LogFolder folder, String name) {
        try (DiskFile file = folder.disk().openForReading(folder.path(name))) {
            ByteBuffer bytes = ByteBuffer.allocate(BYTES);
            file.read(bytes, 0);
            return decode(bytes.flip());
        } catch (DiskException e) {
            if (e.kind() == DiskException.Kind.NOT_FOUND) {
                return 0;
            }
            throw e;
        }
    }

    static ByteBuffer encode(long offset) {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.putInt(MAGIC).putShort(VERSION).putShort((short) 0).putLong(offset);
        return bytes.putInt(checksum(bytes)).flip();
    }

    static long decode(ByteBuffer bytes) {
        boolean sound =
                bytes.limit() == BYTES
                        && bytes.getInt(0) == MAGIC
                        && bytes.getShort(4) == VERSION
                        && bytes.getLong(8) >= 0
                        && bytes.getInt(16) == checksum(bytes);
        return sound ? bytes.getLong(8) : 0;
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(0, 16));
        return (int) crc.getValue();
    }
}
