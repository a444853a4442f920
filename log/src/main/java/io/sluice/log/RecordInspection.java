package io.sluice.log;

import io.sluice.record.Compression;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/// Looks inside a producer's batch as far as the broker must: that the records are as many as claimed, lie one behind the other, have keys where
/// keys are needed, and can be parsed by whoever reads them. Owned by its caller.
///
/// One malformed record in the log would stop every consumer of the partition, for ever. Plain batches are walked, which costs nanoseconds a record; compressed
/// ones are decompressed on the fly, a few kilobytes at a time, so that a batch that unfolds into gigabytes costs no memory and little time.
///
/// ```
/// size · attributes (1 byte) · timestamp delta · offset delta · key length, key · value length, value
///      · number of headers, each: name length, name · value length, value
/// ```
/// All but the attributes and the contents are [variable-length][io.sluice.record.Varints]; a length of -1 stands for null, which a header's name cannot be.
final class RecordInspection {
    private static final int NULL = -1;

    /// What records and headers take on the heap of whoever parses them, besides their bytes.
    private static final int RECORD_HEAP_BYTES = 160;

    private static final int HEADER_HEAP_BYTES = 160;

    /// Some hundred thousand records or headers: beyond what producers put into a batch, well below what would exhaust the heap of a broker that compacts it or looks for a time in it.
    private static final long HEAP_MAX_BYTES = 64 << 20;

    private final RecordBytes records;
    private final boolean keysRequired;
    private final long baseTimestamp;
    private long heap;
    private long earliest = Long.MAX_VALUE;
    private long latest = RecordBatch.NO_TIMESTAMP;

    private RecordInspection(RecordBytes records, RecordBatch batch, boolean keysRequired) {
        this.records = records;
        this.baseTimestamp = batch.baseTimestamp();
        this.keysRequired = keysRequired;
    }

    sealed interface Finding {
        /// What is wrong, as a sentence.
        record Flawed(String sentence) implements Finding {}

        /// Nothing is wrong with it, but for whoever reads it there is too much of it.
        record Excessive(String sentence) implements Finding {}

        /// @param earliest of the records that have a timestamp, or [Long#MAX_VALUE]
        /// @param latest of the records, or [RecordBatch#NO_TIMESTAMP]
        record Sound(long earliest, long latest) implements Finding {}
    }

    static Finding of(RecordBatch batch, boolean keysRequired) {
        Compression compression = Compression.byId(batch.compressionId());
        try {
            if (compression == Compression.NONE) {
                return new RecordInspection(RecordBytes.of(batch.payload()), batch, keysRequired)
                        .finding(batch.recordCount());
            }
            int limit = RecordReader.unfoldedLimit(batch);
            try (InputStream in = compression.stream(batch.payload(), limit)) {
                return new RecordInspection(RecordBytes.of(in, limit), batch, keysRequired)
                        .finding(batch.recordCount());
            }
        } catch (MalformedBatch e) {
            return new Finding.Flawed("The records do not decode: " + e.getMessage() + ".");
        } catch (IOException | RuntimeException e) {
            return new Finding.Flawed(
                    "The "
                            + compression.label()
                            + " data does not unfold: "
                            + e.getMessage()
                            + ".");
        }
    }

    private Finding finding(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            String flaw = record(i);
            if (heap > HEAP_MAX_BYTES) {
                return new Finding.Excessive(
                        "There are more records or headers in the batch than a reader has memory for ("
                                + count
                                + " records): send smaller batches.");
            }
            if (flaw != null) {
                return new Finding.Flawed("Record " + i + " " + flaw + ".");
            }
        }
        return records.isAtEnd()
                ? new Finding.Sound(earliest, latest)
                : new Finding.Flawed("There are bytes behind the last record.");
    }

    /// What is wrong with the next record; null when nothing is.
    private @Nullable String record(int index) throws IOException {
        heap += RECORD_HEAP_BYTES;
        int size = records.readInt();
        if (size <= 0) {
            return "claims " + size + " bytes";
        }
        long end = records.position() + size;
        records.skip(1); // Attributes, unused.
        note(baseTimestamp + records.readLong());
        if (records.readInt() != index) {
            return "does not have the offset that follows the one before";
        }
        int key = records.readInt();
        if (key < 0 && keysRequired) {
            return "has no key, and the topic is compacted";
        }
        String flaw = skipField("key", key, NULL, end);
        if (flaw == null) {
            flaw = skipField("value", records.readInt(), NULL, end);
        }
        if (flaw == null) {
            flaw = skipHeaders(end);
        }
        if (flaw == null && records.position() != end) {
            return "has a size of "
                    + size
                    + ", and ends "
                    + (end - records.position())
                    + " bytes off";
        }
        return flaw;
    }

    private void note(long timestamp) {
        latest = Math.max(latest, timestamp);
        if (timestamp != RecordBatch.NO_TIMESTAMP) {
            earliest = Math.min(earliest, timestamp);
        }
    }

    private @Nullable String skipHeaders(long end) throws IOException {
        int count = records.readInt();
        if (count < 0) {
            return "claims " + count + " headers";
        }
        String flaw = null;
        for (int i = 0; i < count && flaw == null && heap <= HEAP_MAX_BYTES; i++) {
            heap += HEADER_HEAP_BYTES;
            flaw = skipField("header name", records.readInt(), 0, end);
            if (flaw == null) {
                flaw = skipField("header value", records.readInt(), NULL, end);
            }
        }
        return flaw;
    }

    /// Checked before it is skipped: a length may lead into the next record, and on from there as if nothing was wrong.
    private @Nullable String skipField(String what, int length, int shortest, long end)
            throws IOException {
        if (length < shortest || length > end - records.position()) {
            return "has a " + what + " of " + length + " bytes, which it has no room for";
        }
        if (length > 0) {
            records.skip(length);
        }
        return null;
    }
}
