package io.sluice.partition;

/// What a replica is during one term of a leader: it leads, or it follows. Pure; owned by its shard.
sealed interface Role permits LeaderRole, FollowerRole {
    /// Which term.
    int leaderEpoch();

    /// The end of what consumers may read here.
    long highWatermark();
}
