package io.sluice.partition;

/// What a producer waits for (Q25).
public enum Acks {
    /// Nothing: no answer is sent.
    NONE,
    /// The leader has it in its log.
    LEADER,
    /// Every in-sync replica has it, on disk unless the topic says `flush=page-cache`.
    ALL
}
