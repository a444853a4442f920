package io.sluice.conformance.raw;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/// Record batches that are right, and batches that are wrong in one place only.
public final class Batches {
    private static final int CHECKSUM_POSITION = 17;
    private static final int CHECKED_FROM = 21;

    private Batches() {}

    /// Three small records in one batch.
    public static byte[] valid() {
        return valid(System.currentTimeMillis());
    }

    public static byte[] valid(long timestampMillis) {
        SimpleRecord[] records = new SimpleRecord[3];
        for (int i = 0; i < records.length; i++) {
            records[i] =
                    new SimpleRecord(
                            timestampMillis,
                            ("key" + i).getBytes(UTF_8),
                            ("value" + i).getBytes(UTF_8));
        }
        ByteBuffer buffer = MemoryRecords.withRecords(Compression.NONE, records).buffer();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /// A valid batch, changed, with its checksum left as it was.
    public static byte[] damaged(Consumer<ByteBuffer> change) {
        byte[] bytes = valid();
        change.accept(ByteBuffer.wrap(bytes));
        return bytes;
    }

    /// A valid batch, changed, with a checksum that fits the change: damage that only looking inside can find.
    public static byte[] forged(Consumer<ByteBuffer> change) {
        return forged(valid(), change);
    }

    /// A given batch, changed, with a checksum that fits the change.
    public static byte[] forged(byte[] batch, Consumer<ByteBuffer> change) {
        byte[] bytes = batch.clone();
        change.accept(ByteBuffer.wrap(bytes));
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, CHECKED_FROM, bytes.length - CHECKED_FROM);
        ByteBuffer.wrap(bytes).putInt(CHECKSUM_POSITION, (int) checksum.getValue());
        return bytes;
    }
}
