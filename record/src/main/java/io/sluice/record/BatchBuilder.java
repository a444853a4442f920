package io.sluice.record;

import io.sluice.record.LogRecord.RecordHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes a batch: the coordinators' own records, what compaction keeps, and tests. Owned by its creator.
public final class BatchBuilder {
    private final List<LogRecord> records = new ArrayList<>();
    private Compression compression = Compression.NONE;
    private long baseOffset;
    private int lastOffsetDelta = -1;
    private int leaderEpoch = -1;
    private long producerId = RecordBatch.NO_PRODUCER_ID;
    private short producerEpoch = -1;
    private int baseSequence = RecordBatch.NO_SEQUENCE;
    private int attributes;
    private long deleteHorizonMillis = RecordBatch.NO_TIMESTAMP;
    private long appendTimeMillis = RecordBatch.NO_TIMESTAMP;

    public BatchBuilder compression(Compression value) {
        compression = value;
        return this;
    }

    public BatchBuilder producer(long id, short epoch, int sequence) {
        producerId = id;
        producerEpoch = epoch;
        baseSequence = sequence;
        return this;
    }

    public BatchBuilder transactional() {
        attributes |= RecordBatch.TRANSACTIONAL_BIT;
        return this;
    }

    public BatchBuilder control() {
        attributes |= RecordBatch.CONTROL_BIT;
        return this;
    }

    /// Everything of a batch's header but its records: compaction keeps offsets, epoch and producer as they were.
    public BatchBuilder likeHeaderOf(RecordBatch batch) {
        compression = Compression.byId(batch.compressionId());
        baseOffset = batch.baseOffset();
        lastOffsetDelta = batch.lastOffsetDelta();
        leaderEpoch = batch.leaderEpoch();
        attributes = batch.attributes() & (RecordBatch.TRANSACTIONAL_BIT | RecordBatch.CONTROL_BIT);
        deleteHorizonMillis = batch.deleteHorizonMillis();
        appendTimeMillis = batch.hasAppendTime() ? batch.maxTimestamp() : RecordBatch.NO_TIMESTAMP;
        return producer(batch.producerId(), batch.producerEpoch(), batch.baseSequence());
    }

    public BatchBuilder deleteHorizonMillis(long millis) {
        deleteHorizonMillis = millis;
        return this;
    }

    /// The first offset; assigned again by the leader when the batch is appended.
    public BatchBuilder baseOffset(long offset) {
        baseOffset = offset;
        return this;
    }

    public BatchBuilder leaderEpoch(int epoch) {
        leaderEpoch = epoch;
        return this;
    }

    /// A record whose offset is -1 takes the next one; others must not go back.
    public BatchBuilder add(LogRecord record) {
        records.add(record);
        return this;
    }

    public BatchBuilder add(long timestamp, @Nullable ByteBuffer key, @Nullable ByteBuffer value) {
        return add(LogRecord.of(timestamp, key, value));
    }

    public boolean isEmpty() {
        return records.isEmpty();
    }

    public ByteBuffer build() {
        long firstTimestamp =
                records.isEmpty() ? RecordBatch.NO_TIMESTAMP : records.getFirst().timestamp();
        long baseTimestamp =
                deleteHorizonMillis != RecordBatch.NO_TIMESTAMP
                        ? deleteHorizonMillis
                        : firstTimestamp;
        ByteBuffer body = compression.compress(encodeRecords(baseTimestamp));
        ByteBuffer batch = ByteBuffer.allocate(RecordBatch.HEADER_BYTES + body.remaining());
        writeHeader(batch, body.remaining(), baseTimestamp);
        batch.put(RecordBatch.HEADER_BYTES, body, body.position(), body.remaining());
        batch.putInt(RecordBatch.CRC_AT, RecordBatch.at(batch, 0).computeChecksum());
        return batch;
    }

    private void writeHeader(ByteBuffer batch, int bodyBytes, long baseTimestamp) {
        int bits = attributes | compression.id();
        long maxTimestamp = RecordBatch.NO_TIMESTAMP;
        for (LogRecord record : records) {
            maxTimestamp = Math.max(maxTimestamp, record.timestamp());
        }
        if (appendTimeMillis != RecordBatch.NO_TIMESTAMP) {
            bits |= RecordBatch.APPEND_TIME_BIT;
            maxTimestamp = appendTimeMillis;
        }
        if (deleteHorizonMillis != RecordBatch.NO_TIMESTAMP) {
            bits |= RecordBatch.DELETE_HORIZON_BIT;
        }
        batch.putLong(0, baseOffset);
        batch.putInt(
                RecordBatch.LENGTH_AT,
                RecordBatch.HEADER_BYTES - RecordBatch.PREFIX_BYTES + bodyBytes);
        batch.putInt(RecordBatch.LEADER_EPOCH_AT, leaderEpoch);
        batch.put(RecordBatch.MAGIC_AT, RecordBatch.MAGIC);
        batch.putShort(RecordBatch.ATTRIBUTES_AT, (short) bits);
        batch.putInt(
                RecordBatch.LAST_OFFSET_DELTA_AT,
                lastOffsetDelta >= 0 ? lastOffsetDelta : Math.max(0, records.size() - 1));
        batch.putLong(RecordBatch.BASE_TIMESTAMP_AT, baseTimestamp);
        batch.putLong(RecordBatch.MAX_TIMESTAMP_AT, maxTimestamp);
        batch.putLong(RecordBatch.PRODUCER_ID_AT, producerId);
        batch.putShort(RecordBatch.PRODUCER_EPOCH_AT, producerEpoch);
        batch.putInt(RecordBatch.BASE_SEQUENCE_AT, baseSequence);
        batch.putInt(RecordBatch.RECORD_COUNT_AT, records.size());
    }

    private ByteBuffer encodeRecords(long baseTimestamp) {
        int total = 0;
        int[] sizes = new int[records.size()];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = sizeOf(records.get(i), baseTimestamp, offsetDelta(i));
            total += Varints.sizeOf(sizes[i]) + sizes[i];
        }
        ByteBuffer out = ByteBuffer.allocate(total);
        for (int i = 0; i < sizes.length; i++) {
            LogRecord record = records.get(i);
            Varints.write(out, sizes[i]);
            out.put((byte) 0);
            Varints.write(out, record.timestamp() - baseTimestamp);
            Varints.write(out, offsetDelta(i));
            writeBytes(out, record.key());
            writeBytes(out, record.value());
            Varints.write(out, record.headers().size());
            for (RecordHeader header : record.headers()) {
                writeBytes(out, StandardCharsets.UTF_8.encode(header.name()));
                writeBytes(out, header.value());
            }
        }
        return out.flip();
    }

    private int offsetDelta(int index) {
        long offset = records.get(index).offset();
        return offset < 0 ? index : Math.toIntExact(offset - baseOffset);
    }

    private static int sizeOf(LogRecord record, long baseTimestamp, int offsetDelta) {
        int size =
                1
                        + Varints.sizeOf(record.timestamp() - baseTimestamp)
                        + Varints.sizeOf(offsetDelta);
        size +=
                sizeOf(record.key())
                        + sizeOf(record.value())
                        + Varints.sizeOf(record.headers().size());
        for (RecordHeader header : record.headers()) {
            size += sizeOf(StandardCharsets.UTF_8.encode(header.name())) + sizeOf(header.value());
        }
        return size;
    }

    private static int sizeOf(@Nullable ByteBuffer bytes) {
        return bytes == null
                ? Varints.sizeOf(-1)
                : Varints.sizeOf(bytes.remaining()) + bytes.remaining();
    }

    private static void writeBytes(ByteBuffer out, @Nullable ByteBuffer bytes) {
        if (bytes == null) {
            Varints.write(out, -1);
        } else {
            Varints.write(out, bytes.remaining());
            out.put(bytes.duplicate());
        }
    }
}
