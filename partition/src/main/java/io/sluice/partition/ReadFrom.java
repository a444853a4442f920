package io.sluice.partition;

/// Which replica a consumer may be served by.
public enum ReadFrom {
    LEADER,
    /// The nearest: a follower too, up to what it knows to be committed (KIP-392).
    ANY_REPLICA
}
