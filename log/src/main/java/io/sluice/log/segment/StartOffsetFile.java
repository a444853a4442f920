package io.sluice.log.segment;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// Remembers the first readable offset of a log whose oldest records were deleted by request (DeleteRecords).
///
/// | at | bytes | field                     |
/// |----|-------|---------------------------|
/// | 0  | 4     | magic `SLSO`              |
/// | 4  | 2     | version: 1                |
/// | 6  | 2     | zero                      |
/// | 8  | 8     | start offset              |
/// | 16 | 4     | CRC-32C of bytes 0 to 15  |
///
/// Absent when the log begins where its first segment does.
public final class StartOffsetFile {
    public static final String NAME = "start-offset";
    static final int MAGIC = 0x534C534F;
    static final short VERSION = 1;
    private static final int BYTES = 20;

    private StartOffsetFile() {}

    public static void write(LogFolder folder, long startOffset) {
        folder.replace(NAME, encode(startOffset), true);
        folder.sync();
    }

    /// 0 when there is none. One that cannot be believed is as good as none: deleted records come back, nothing is lost.
    public static long read(LogFolder folder) {
        try (DiskFile file = folder.disk().openForReading(folder.path(NAME))) {
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

    static ByteBuffer encode(long startOffset) {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.putInt(MAGIC).putShort(VERSION).putShort((short) 0).putLong(startOffset);
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
