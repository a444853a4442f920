package io.sluice.log;

/// What became of an append. Immutable.
public sealed interface AppendResult {
    /// In the log, not yet durable.
    ///
    /// @param nextOffset the first offset behind what was appended
    /// @param appendTimeMillis the broker's timestamp on topics with `LogAppendTime`, otherwise -1
    record Appended(long baseOffset, long nextOffset, long appendTimeMillis, long logStartOffset)
            implements AppendResult {}

    /// The producer had sent it before, and here is where it is. Durable once [#nextOffset] is.
    record Duplicate(long baseOffset, long nextOffset, long appendTimeMillis, long logStartOffset)
            implements AppendResult {}

    /// The producer had sent it before, too long ago to know at which offset. Durable once [#nextOffset] is, which is not before its end.
    record DuplicateOfOld(long nextOffset, String sentence) implements AppendResult {}

    /// Nothing of it is in the log.
    ///
    /// @param sentence for a person: which value, and what would be right
    record Rejected(Reason reason, String sentence) implements AppendResult {}

    /// Why, one for one with the protocol's error codes.
    enum Reason {
        CORRUPT_MESSAGE,
        MESSAGE_TOO_LARGE,
        INVALID_TIMESTAMP,
        INVALID_RECORD,
        UNSUPPORTED_FORMAT,
        UNSUPPORTED_COMPRESSION,
        OUT_OF_ORDER_SEQUENCE,
        /// Surely appended before, and as safe as its producer asked for, but too long ago to know at which offset.
        DUPLICATE_SEQUENCE,
        STALE_PRODUCER_EPOCH,
        UNKNOWN_PRODUCER_ID,
        /// A follower was sent batches that do not continue its log.
        OFFSETS_DO_NOT_CONTINUE,
        DISK_FULL,
        /// The disk failed; see [PartitionLog#offline].
        OFFLINE
    }
}
