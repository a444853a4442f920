package io.sluice.partition;

import io.sluice.record.Records;

/// How a follower's fetch ended at its leader. Immutable.
public sealed interface ReplicaReadOutcome {
    /// @param records whole batches up to the log's end; empty when the follower has all. The receiver releases them
    /// @param highWatermark what the follower may show its consumers as soon as it has it
    record Found(Records records, long startOffset, long highWatermark)
            implements ReplicaReadOutcome {}

    /// The follower's log is not a prefix of the leader's: it must be cut to where the given epoch ends in both ([Partition#cutToLeader]).
    ///
    /// @param epoch the largest of the leader's epochs that is not above the follower's last one
    /// @param endOffset where that epoch ends in the leader's log
    record Diverged(int epoch, long endOffset, long startOffset, long highWatermark)
            implements ReplicaReadOutcome {}

    /// The leader no longer has what comes next ([Partition#restartFromLeader]).
    record OutOfRange(long startOffset, long endOffset) implements ReplicaReadOutcome {}

    record Failed(Unavailable why, String sentence) implements ReplicaReadOutcome {}
}
