package io.sluice.controller;

/// How a command ended: a value, since each of these can be caused by a client. Immutable.
public sealed interface TopicOutcome {
    /// @param plan as it is after the command; for a deletion as it was before
    record Done(TopicPlan plan) implements TopicOutcome {}

    record Refused(Reason reason, String sentence) implements TopicOutcome {}

    enum Reason {
        INVALID_NAME,
        ALREADY_EXISTS,
        UNKNOWN_TOPIC,
        INVALID_PARTITIONS,
        INVALID_REPLICATION_FACTOR,
        INVALID_ASSIGNMENT,
        INVALID_SETTING,
        INTERNAL_TOPIC,
        BUSY,
        /// Another broker is the controller; the sentence says which.
        NOT_CONTROLLER,
        UNKNOWN_PARTITION,
        UNKNOWN_BROKER,
        /// There is no move to take back.
        NO_MOVE,
        /// The partition has the leader already that was asked for.
        ELECTION_NOT_NEEDED,
        /// Nobody live could lead.
        NO_LEADER_POSSIBLE,
        /// The broker is needed as it is.
        BROKER_IN_USE,
        /// The metadata store could not write it down.
        STORE_FAILED
    }
}
