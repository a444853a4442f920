package io.sluice.record;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Steps over the batches in a buffer of untrusted bytes; stops at the first that is not whole and sound.
///
/// Used for what producers send and for what lies on disk. Zeros (room ahead of the last one) are not a batch. Owned by its creator.
public final class BatchReader {
    private final ByteBuffer buffer;
    private final boolean verifyChecksums;
    private int position;
    private @Nullable Flaw flaw;

    public BatchReader(ByteBuffer buffer) {
        this(buffer, true);
    }

    /// Without checksums for bytes that this process has checked before.
    public BatchReader(ByteBuffer buffer, boolean verifyChecksums) {
        this.buffer = buffer;
        this.verifyChecksums = verifyChecksums;
        this.position = buffer.position();
    }

    /// The next sound batch, or null at the end or at a flaw; [#flaw] tells which.
    public @Nullable RecordBatch next() {
        int remaining = buffer.limit() - position;
        if (remaining == 0 || flaw != null) {
            return null;
        }
        flaw = flawAt(remaining);
        if (flaw != null) {
            return null;
        }
        RecordBatch batch = RecordBatch.at(buffer, position);
        position += batch.sizeInBytes();
        return batch;
    }

    /// Where the next batch would begin, in the buffer.
    public int position() {
        return position;
    }

    /// Why [#next] stopped before the end; null when every byte was part of a sound batch.
    public @Nullable Flaw flaw() {
        return flaw;
    }

    private @Nullable Flaw flawAt(int remaining) {
        Flaw inHeader = flawInHeader(buffer, position, remaining);
        if (inHeader != null || !verifyChecksums) {
            return inHeader;
        }
        return RecordBatch.at(buffer, position).checksumHolds() ? null : Flaw.BAD_CHECKSUM;
    }

    /// What a header alone tells, for readers that do not hold the whole batch in memory.
    ///
    /// @param available bytes from the batch's first to the end of the data, in memory or not
    public static @Nullable Flaw flawInHeader(ByteBuffer buffer, int position, long available) {
        if (available < RecordBatch.HEADER_BYTES) {
            return Flaw.TRUNCATED;
        }
        RecordBatch batch = RecordBatch.at(buffer, position);
        int length = buffer.getInt(position + RecordBatch.LENGTH_AT);
        if (length < RecordBatch.HEADER_BYTES - RecordBatch.PREFIX_BYTES) {
            return length == 0 && batch.magic() == 0 ? Flaw.EMPTY : Flaw.BAD_LENGTH;
        }
        if (batch.magic() != RecordBatch.MAGIC) {
            return Flaw.UNKNOWN_MAGIC;
        }
        if (length > available - RecordBatch.PREFIX_BYTES) {
            return Flaw.TRUNCATED;
        }
        if (batch.lastOffsetDelta() < 0 || batch.recordCount() < 0 || batch.baseOffset() < 0) {
            return Flaw.BAD_COUNT;
        }
        return null;
    }

    /// What is wrong with the bytes at [#position].
    public enum Flaw {
        TRUNCATED("the batch is cut off"),
        EMPTY("zeros where a batch should begin"),
        BAD_LENGTH("the length field is impossible"),
        UNKNOWN_MAGIC("the format is not record batch version 2"),
        BAD_COUNT("a count or offset is negative"),
        BAD_CHECKSUM("the CRC-32C does not match");

        private final String sentence;

        Flaw(String sentence) {
            this.sentence = sentence;
        }

        public String sentence() {
            return sentence;
        }
    }
}
