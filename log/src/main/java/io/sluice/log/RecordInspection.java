package io.sluice.log;

import io.sluice.record.Compression;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/// Looks inside a producer's batch as far as the broker must: that the records are as many as claimed, lie one behind the other, and have keys where
/// keys are needed. Pure.
///
/// One malformed batch in the log would stop every consumer of the partition. Plain batches are walked, which costs nanoseconds a record; compressed ones are
/// decompressed on the fly, a few kilobytes at a time, so that a batch that unfolds into gigabytes costs no memory and little time.
final class RecordInspection {
    private final RecordBytes records;
    private final boolean keysRequired;

    private RecordInspection(RecordBytes records, boolean keysRequired) {
        this.records = records;
        this.keysRequired = keysRequired;
    }

    /// What is wrong, as a sentence; null when nothing is.
    static @Nullable String findFlaw(RecordBatch batch, boolean keysRequired) {
        Compression compression = Compression.byId(batch.compressionId());
        try {
            if (compression == Compression.NONE) {
                return new RecordInspection(RecordBytes.of(batch.payload()), keysRequired)
                        .walk(batch.recordCount());
            }
            int limit = RecordReader.unfoldedLimit(batch);
            try (InputStream in = compression.stream(batch.payload(), limit)) {
                return new RecordInspection(RecordBytes.of(in, limit), keysRequired)
                        .walk(batch.recordCount());
            }
        } catch (MalformedBatch e) {
            return "The records do not decode: " + e.getMessage() + ".";
        } catch (IOException | RuntimeException e) {
            return "The " + compression.label() + " data does not unfold: " + e.getMessage() + ".";
        }
    }

    private @Nullable String walk(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            int size = records.readInt();
            if (size <= 0) {
                return "Record " + i + " claims " + size + " bytes.";
            }
            long end = records.position() + size;
            records.skip(1); // Attributes, unused.
            records.readLong();
            if (records.readInt() != i) {
                return "Record " + i + " does not have the offset that follows the one before.";
            }
            if (keysRequired && records.readInt() < 0) {
                return "Record " + i + " has no key, and the topic is compacted.";
            }
            if (records.position() > end) {
                return "Record " + i + " is longer than its size says.";
            }
            records.skip(end - records.position());
        }
        return records.isAtEnd() ? null : "There are bytes behind the last record.";
    }
}
