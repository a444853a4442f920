package io.sluice.partition;

/// What a replica is during one term of a leader: it leads, or it follows. Pure; owned by its shard.
sealed interface Role permits LeaderRole, FollowerRole {
    /// Which term.
    int leaderEpoch();

    /// The end of what consumers may read here.
    long highWatermark();

    /// The end of what is committed, as far as this replica knows: a follower that lacks some of it was told so by its leader.
    long committedEnd();
}
