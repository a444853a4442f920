package io.sluice.record;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// One record batch (version 2), seen in place: reads and patches the header, never touches the records.
///
/// | at | bytes | field                                                        |
/// |----|-------|--------------------------------------------------------------|
/// | 0  | 8     | base offset: of the first record                             |
/// | 8  | 4     | length: of all that follows this field                       |
/// | 12 | 4     | partition leader epoch: set by the leader                    |
/// | 16 | 1     | magic: 2                                                     |
/// | 17 | 4     | CRC-32C of everything from the attributes on                 |
/// | 21 | 2     | attributes: 0–2 compression, 3 timestamp type, 4 transactional, 5 control, 6 delete horizon |
/// | 23 | 4     | last offset delta                                            |
/// | 27 | 8     | base timestamp (or the delete horizon, with attribute bit 6) |
/// | 35 | 8     | max timestamp                                                |
/// | 43 | 8     | producer id, -1 for none                                     |
/// | 51 | 2     | producer epoch                                               |
/// | 53 | 4     | base sequence, -1 for none                                   |
/// | 57 | 4     | number of records                                            |
/// | 61 | …     | records, compressed as a whole                               |
///
/// Base offset and leader epoch lie before the checksummed part, so the leader assigns them without computing it again.
/// A view: valid as long as the buffer's bytes are. Owned by whoever owns the buffer.
public final class RecordBatch {
    public static final int HEADER_BYTES = 61;

    /// Base offset and length: what must be read to know where the next batch begins.
    public static final int PREFIX_BYTES = 12;

    public static final byte MAGIC = 2;
    public static final long NO_PRODUCER_ID = -1;
    public static final long NO_TIMESTAMP = -1;
    public static final int NO_SEQUENCE = -1;

    /// Where the checksummed part of a batch begins.
    public static final int CHECKSUMMED_FROM = 21;

    static final int LENGTH_AT = 8;
    static final int LEADER_EPOCH_AT = 12;
    static final int MAGIC_AT = 16;
    static final int CRC_AT = 17;
    static final int ATTRIBUTES_AT = CHECKSUMMED_FROM;
    static final int LAST_OFFSET_DELTA_AT = 23;
    static final int BASE_TIMESTAMP_AT = 27;
    static final int MAX_TIMESTAMP_AT = 35;
    static final int PRODUCER_ID_AT = 43;
    static final int PRODUCER_EPOCH_AT = 51;
    static final int BASE_SEQUENCE_AT = 53;
    static final int RECORD_COUNT_AT = 57;

    static final int COMPRESSION_BITS = 0x07;
    static final int APPEND_TIME_BIT = 0x08;
    static final int TRANSACTIONAL_BIT = 0x10;
    static final int CONTROL_BIT = 0x20;
    static final int DELETE_HORIZON_BIT = 0x40;

    private final ByteBuffer buffer;
    private final int at;

    private RecordBatch(ByteBuffer buffer, int at) {
        this.buffer = buffer;
        this.at = at;
    }

    /// The batch at an absolute position. The whole header must be in the buffer; use [BatchReader] for untrusted bytes.
    public static RecordBatch at(ByteBuffer buffer, int position) {
        return new RecordBatch(buffer, position);
    }

    public long baseOffset() {
        return buffer.getLong(at);
    }

    /// The whole batch, prefix included.
    public int sizeInBytes() {
        return PREFIX_BYTES + buffer.getInt(at + LENGTH_AT);
    }

    public int leaderEpoch() {
        return buffer.getInt(at + LEADER_EPOCH_AT);
    }

    public byte magic() {
        return buffer.get(at + MAGIC_AT);
    }

    public int checksum() {
        return buffer.getInt(at + CRC_AT);
    }

    public short attributes() {
        return buffer.getShort(at + ATTRIBUTES_AT);
    }

    public int lastOffsetDelta() {
        return buffer.getInt(at + LAST_OFFSET_DELTA_AT);
    }

    public long lastOffset() {
        return baseOffset() + lastOffsetDelta();
    }

    /// The first offset behind this batch.
    public long nextOffset() {
        return lastOffset() + 1;
    }

    public long baseTimestamp() {
        return buffer.getLong(at + BASE_TIMESTAMP_AT);
    }

    public long maxTimestamp() {
        return buffer.getLong(at + MAX_TIMESTAMP_AT);
    }

    public long producerId() {
        return buffer.getLong(at + PRODUCER_ID_AT);
    }

    public short producerEpoch() {
        return buffer.getShort(at + PRODUCER_EPOCH_AT);
    }

    public int baseSequence() {
        return buffer.getInt(at + BASE_SEQUENCE_AT);
    }

    /// The sequence number of the last record; numbers wrap from 2³¹-1 to 0.
    public int lastSequence() {
        int base = baseSequence();
        return base == NO_SEQUENCE
                ? NO_SEQUENCE
                : (int) ((base + (long) lastOffsetDelta()) & Integer.MAX_VALUE);
    }

    public int recordCount() {
        return buffer.getInt(at + RECORD_COUNT_AT);
    }

    public int compressionId() {
        return attributes() & COMPRESSION_BITS;
    }

    public boolean hasAppendTime() {
        return (attributes() & APPEND_TIME_BIT) != 0;
    }

    public boolean isTransactional() {
        return (attributes() & TRANSACTIONAL_BIT) != 0;
    }

    public boolean isControl() {
        return (attributes() & CONTROL_BIT) != 0;
    }

    public boolean hasProducerId() {
        return producerId() != NO_PRODUCER_ID;
    }

    /// When compaction may drop the tombstones in this batch (KIP-534), or [#NO_TIMESTAMP].
    public long deleteHorizonMillis() {
        return (attributes() & DELETE_HORIZON_BIT) != 0 ? baseTimestamp() : NO_TIMESTAMP;
    }

    public int computeChecksum() {
        CRC32C crc = new CRC32C();
        crc.update(buffer.slice(at + ATTRIBUTES_AT, sizeInBytes() - ATTRIBUTES_AT));
        return (int) crc.getValue();
    }

    public boolean checksumHolds() {
        return computeChecksum() == checksum();
    }

    /// What a leader writes into a producer's batch, in place.
    public void assign(long baseOffset, int leaderEpoch) {
        buffer.putLong(at, baseOffset);
        buffer.putInt(at + LEADER_EPOCH_AT, leaderEpoch);
    }

    /// For topics with `message.timestamp.type=LogAppendTime`: one timestamp for all records. Computes the checksum again.
    public void stampAppendTime(long millis) {
        buffer.putShort(at + ATTRIBUTES_AT, (short) (attributes() | APPEND_TIME_BIT));
        buffer.putLong(at + MAX_TIMESTAMP_AT, millis);
        buffer.putInt(at + CRC_AT, computeChecksum());
    }

    /// What the header says of its records, as they are. Computes the checksum again.
    public void correctMaxTimestamp(long millis) {
        buffer.putLong(at + MAX_TIMESTAMP_AT, millis);
        buffer.putInt(at + CRC_AT, computeChecksum());
    }

    /// The records behind the header, compressed as they are.
    public ByteBuffer payload() {
        return buffer.slice(at + HEADER_BYTES, sizeInBytes() - HEADER_BYTES);
    }

    /// The whole batch.
    public ByteBuffer bytes() {
        return buffer.slice(at, sizeInBytes());
    }

    @Override
    public String toString() {
        return "RecordBatch[offsets "
                + baseOffset()
                + ".."
                + lastOffset()
                + ", "
                + sizeInBytes()
                + " bytes, epoch "
                + leaderEpoch()
                + (hasProducerId()
                        ? ", producer "
                                + producerId()
                                + "/"
                                + producerEpoch()
                                + " sequence "
                                + baseSequence()
                        : "")
                + "]";
    }
}
