package io.sluice.benchmarks.load;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;

/// Builds a record batch (magic 2) without key, headers or compression, filled with noise that no disk or network can compress.
final class RecordBatch {
    private static final int LENGTH_FIELD_END = 12;
    private static final int CHECKSUM_POSITION = 17;
    private static final int CHECKED_FROM = 21;
    private static final int HEADER_LENGTH = 61;
    private static final int NO_KEY = -1;

    private RecordBatch() {}

    static byte[] of(int records, int valueBytes, long timestampMillis) {
        byte[] value = new byte[valueBytes];
        new Random(17).nextBytes(value);
        ByteBuffer batch = ByteBuffer.allocate(HEADER_LENGTH + records * (valueBytes + 24));
        batch.position(HEADER_LENGTH);
        for (int record = 0; record < records; record++) {
            putRecord(batch, record, value);
        }
        int length = batch.position();
        batch.putLong(0, 0).putInt(8, length - LENGTH_FIELD_END);
        batch.putInt(12, -1).put(16, (byte) 2);
        batch.putShort(21, (short) 0).putInt(23, records - 1);
        batch.putLong(27, timestampMillis).putLong(35, timestampMillis);
        batch.putLong(43, -1).putShort(51, (short) -1).putInt(53, -1).putInt(57, records);
        CRC32C checksum = new CRC32C();
        checksum.update(batch.array(), CHECKED_FROM, length - CHECKED_FROM);
        batch.putInt(CHECKSUM_POSITION, (int) checksum.getValue());
        byte[] result = new byte[length];
        batch.get(0, result);
        return result;
    }

    private static void putRecord(ByteBuffer batch, int offsetDelta, byte[] value) {
        ByteBuffer body = ByteBuffer.allocate(24 + value.length);
        body.put((byte) 0);
        putVarint(body, 0);
        putVarint(body, offsetDelta);
        putVarint(body, NO_KEY);
        putVarint(body, value.length);
        body.put(value);
        putVarint(body, 0);
        putVarint(batch, body.position());
        batch.put(body.flip());
    }

    /// A signed number, zigzag-encoded so that small negatives stay short.
    private static void putVarint(ByteBuffer buffer, int value) {
        int rest = (value << 1) ^ (value >> 31);
        while ((rest & ~0x7f) != 0) {
            buffer.put((byte) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        buffer.put((byte) rest);
    }
}
