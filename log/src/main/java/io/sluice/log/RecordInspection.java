package io.sluice.log;

import io.sluice.record.Compression;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import io.sluice.record.Varints;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Looks inside a producer's batch as far as the broker must: that the records are as many as claimed, lie one behind the other, and have keys where
/// keys are needed. Pure.
///
/// One malformed batch in the log would stop every consumer of the partition. Plain batches are walked, which costs nanoseconds a record;
/// compressed ones are opened only when keys are needed.
final class RecordInspection {
    private RecordInspection() {}

    /// What is wrong, as a sentence; null when nothing is.
    static @Nullable String findFlaw(RecordBatch batch, boolean keysRequired) {
        boolean compressed = batch.compressionId() != Compression.NONE.id();
        if (compressed && !keysRequired) {
            return null;
        }
        try {
            ByteBuffer records =
                    Compression.byId(batch.compressionId())
                            .decompress(batch.payload(), RecordReader.DECOMPRESSED_LIMIT_BYTES);
            return walk(records, batch.recordCount(), keysRequired);
        } catch (MalformedBatch e) {
            return "The records do not decode: " + e.getMessage() + ".";
        }
    }

    private static @Nullable String walk(ByteBuffer records, int count, boolean keysRequired) {
        for (int i = 0; i < count; i++) {
            int size = Varints.readInt(records);
            if (size <= 0 || size > records.remaining()) {
                return "Record " + i + " claims " + size + " bytes.";
            }
            int end = records.position() + size;
            records.get(); // Attributes, unused.
            Varints.readLong(records);
            if (Varints.readInt(records) != i) {
                return "Record " + i + " does not have the offset that follows the one before.";
            }
            if (keysRequired && Varints.readInt(records) < 0) {
                return "Record " + i + " has no key, and the topic is compacted.";
            }
            if (records.position() > end) {
                return "Record " + i + " is longer than its size says.";
            }
            records.position(end);
        }
        return records.hasRemaining()
                ? records.remaining() + " bytes are left behind the last record."
                : null;
    }
}
