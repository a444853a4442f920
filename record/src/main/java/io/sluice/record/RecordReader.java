package io.sluice.record;

import io.sluice.record.LogRecord.RecordHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// Opens a batch and yields its records. Throws [MalformedBatch] at the first that does not decode.
///
/// Every count is checked against the bytes that are left before anything is allocated. Owned by its creator.
public final class RecordReader implements Iterator<LogRecord> {
    private static final int UNFOLDED_MIN_BYTES = 32 << 20;
    private static final int UNFOLDED_RATIO = 16;

    private static final int SMALLEST_HEADER_BYTES = 2;

    private final RecordBatch batch;
    private final ByteBuffer records;
    private int left;

    private RecordReader(RecordBatch batch, ByteBuffer records) {
        this.batch = batch;
        this.records = records;
        this.left = batch.recordCount();
    }

    /// What a batch may unfold to: far above what producers send, far below what would exhaust the heap.
    public static int unfoldedLimit(RecordBatch batch) {
        return Math.clamp(
                (long) batch.sizeInBytes() * UNFOLDED_RATIO,
                UNFOLDED_MIN_BYTES,
                Integer.MAX_VALUE - 8);
    }

    public static RecordReader open(RecordBatch batch) {
        Compression compression = Compression.byId(batch.compressionId());
        return new RecordReader(
                batch, compression.decompress(batch.payload(), unfoldedLimit(batch)));
    }

    public static List<LogRecord> readAll(RecordBatch batch) {
        List<LogRecord> all = new ArrayList<>();
        open(batch).forEachRemaining(all::add);
        return all;
    }

    @Override
    public boolean hasNext() {
        return left > 0;
    }

    @Override
    public LogRecord next() {
        if (left == 0) {
            throw new NoSuchElementException();
        }
        left--;
        int size = Varints.readInt(records);
        if (size < 0 || size > records.remaining()) {
            throw new MalformedBatch(
                    "a record claims " + size + " bytes, " + records.remaining() + " are left");
        }
        int end = records.position() + size;
        LogRecord record = readRecord();
        if (records.position() != end) {
            throw new MalformedBatch(
                    "a record of "
                            + size
                            + " bytes ends "
                            + (records.position() - end)
                            + " bytes off");
        }
        return record;
    }

    private LogRecord readRecord() {
        if (!records.hasRemaining()) {
            throw new MalformedBatch("an empty record");
        }
        records.get(); // Record attributes: unused in version 2.
        long timestampDelta = Varints.readLong(records);
        int offsetDelta = Varints.readInt(records);
        if (offsetDelta < 0 || offsetDelta > batch.lastOffsetDelta()) {
            throw new MalformedBatch(
                    "offset delta " + offsetDelta + " outside 0.." + batch.lastOffsetDelta());
        }
        ByteBuffer key = readBytes();
        ByteBuffer value = readBytes();
        List<RecordHeader> headers = readHeaders();
        long timestamp =
                batch.hasAppendTime()
                        ? batch.maxTimestamp()
                        : batch.baseTimestamp() + timestampDelta;
        return new LogRecord(batch.baseOffset() + offsetDelta, timestamp, key, value, headers);
    }

    private List<RecordHeader> readHeaders() {
        int count = Varints.readInt(records);
        if (count < 0 || count > records.remaining() / SMALLEST_HEADER_BYTES) {
            throw new MalformedBatch("a record claims " + count + " headers");
        }
        if (count == 0) {
            return List.of();
        }
        List<RecordHeader> headers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ByteBuffer name = readBytes();
            if (name == null) {
                throw new MalformedBatch("a header without a name");
            }
            headers.add(
                    new RecordHeader(StandardCharsets.UTF_8.decode(name).toString(), readBytes()));
        }
        return headers;
    }

    private @Nullable ByteBuffer readBytes() {
        int length = Varints.readInt(records);
        if (length < 0) {
            return null;
        }
        if (length > records.remaining()) {
            throw new MalformedBatch(
                    "a field claims " + length + " bytes, " + records.remaining() + " are left");
        }
        ByteBuffer bytes = records.slice(records.position(), length);
        records.position(records.position() + length);
        return bytes;
    }
}
