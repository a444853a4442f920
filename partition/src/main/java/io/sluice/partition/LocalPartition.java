package io.sluice.partition;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// An open partition for those who live on its owner's thread: coordinators, which decide on what they have appended a moment ago.
///
/// Owned by the partition's shard: every method runs on the owner's thread, every callback is called there.
public final class LocalPartition {
    private final OpenPartition partition;
    private final int leaderEpoch;

    LocalPartition(OpenPartition partition, int leaderEpoch) {
        this.partition = partition;
        this.leaderEpoch = leaderEpoch;
    }

    public int leaderEpoch() {
        return leaderEpoch;
    }

    public long startOffset() {
        return partition.log().startOffset();
    }

    /// The offset of the next record.
    public long endOffset() {
        return partition.log().endOffset();
    }

    /// Appends with `acks=all`. What can be refused is refused before this returns, by calling back with
    /// [AppendOutcome.Rejected]; otherwise the records are in the log now, and the callback tells when they are safe.
    public void append(ByteBuffer batch, Consumer<AppendOutcome> settled) {
        partition.append(batch, Acks.ALL, settled);
    }

    /// Whole batches from the offset on, up to the end of the log's readable part.
    public void read(long from, int maxBytes, Consumer<ReadOutcome> done) {
        partition.read(from, maxBytes, true, done);
    }
}
