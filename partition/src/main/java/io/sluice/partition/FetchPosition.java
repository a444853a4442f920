package io.sluice.partition;

/// Where a follower goes on. Immutable.
///
/// @param leaderEpoch the term in which this is asked
/// @param offset the end of its log, everything below is safe; or [#BEHIND_ALL]
/// @param lastEpoch of the last batch in its log, -1 when it has none
public record FetchPosition(int leaderEpoch, long offset, int lastEpoch) {
    /// No log reaches it, so that nothing is claimed: the leader says where its log ends in the last epoch ([ReplicaReadOutcome.Diverged]), as to any follower that differs.
    public static final long BEHIND_ALL = Long.MAX_VALUE;
}
