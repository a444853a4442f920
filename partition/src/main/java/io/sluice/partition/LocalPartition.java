package io.sluice.partition;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// A partition that this broker leads, for those who live on its owner's thread: coordinators, which decide on what they have appended a moment ago.
///
/// Good for one term: when the leader's epoch ends, what is pending fails, every later call is refused with [Unavailable#NOT_LEADER], and
/// whoever asked for it is told. A coordinator of a later term gets another one (KAFKA-20634).
///
/// Owned by the partition's shard: every method runs on the owner's thread, every callback is called there.
public final class LocalPartition {
    private static final int AS_LONG_AS_IT_TAKES = -1;

    private final OpenPartition partition;
    private final Leadership leadership;

    LocalPartition(OpenPartition partition, Leadership leadership) {
        this.partition = partition;
        this.leadership = leadership;
    }

    public int leaderEpoch() {
        return leadership.role().leaderEpoch();
    }

    /// False when the term is over.
    public boolean isLeading() {
        return !leadership.isEnded();
    }

    /// Called once when the term is over, at once when it is already. On the owner's thread, as is the cancelling, which is for those who end earlier.
    public Partition.Wait onEnd(Runnable listener) {
        return leadership.onEnd(listener);
    }

    public long startOffset() {
        return partition.log().startOffset();
    }

    /// The offset of the next record.
    public long endOffset() {
        return partition.log().endOffset();
    }

    /// Appends with `acks=all`. What can be refused is refused before this returns, by calling back with
    /// [AppendOutcome.Rejected] or [AppendOutcome.Failed]; otherwise the records are in the log now, and the callback tells when they are safe.
    public void append(ByteBuffer batch, Consumer<AppendOutcome> settled) {
        leadership.append(batch, Acks.ALL, AS_LONG_AS_IT_TAKES, settled);
    }

    /// Whole batches from the offset on, up to the end of the log: a leader's whole log is the truth of its term, also what earlier leaders have
    /// acknowledged and its followers have yet to confirm to this one.
    public void read(long from, int maxBytes, Consumer<ReadOutcome> done) {
        if (leadership.isEnded()) {
            done.accept(
                    new ReadOutcome.Failed(
                            Unavailable.NOT_LEADER, partition.id() + " is not led here any more."));
        } else {
            partition.readUpTo(endOffset(), from, maxBytes, true, done);
        }
    }
}
