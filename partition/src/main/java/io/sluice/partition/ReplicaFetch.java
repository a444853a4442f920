package io.sluice.partition;

/// What a follower asks of its leader. Immutable.
///
/// Everything below `offset` is safe at the follower: on disk, or in its page cache where the topic wants no more.
///
/// @param replica the follower's broker id
/// @param brokerEpoch of its registration, so that an earlier life of the same broker is told apart (KIP-903)
/// @param leaderEpoch the leader's term as the follower knows it
/// @param offset the end of its log
/// @param lastEpoch of the last batch in its log, -1 when it has none
/// @param atLeastOneBatch returns the first batch even if it alone is larger than `maxBytes`
public record ReplicaFetch(
        int replica,
        long brokerEpoch,
        int leaderEpoch,
        long offset,
        int lastEpoch,
        int maxBytes,
        boolean atLeastOneBatch) {}
