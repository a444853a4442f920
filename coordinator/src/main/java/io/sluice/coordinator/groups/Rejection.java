package io.sluice.coordinator.groups;

/// What a client can do wrong, or too early. A value, turned into an error code at the edge.
public enum Rejection {
    INVALID_GROUP_ID,
    /// Some id or name is longer than a record can hold.
    NAME_TOO_LONG,
    INVALID_SESSION_TIMEOUT,
    /// Neither a member nor one who was given a member id; or not any more.
    UNKNOWN_MEMBER,
    /// Another process has taken over the instance id (KIP-345).
    FENCED_INSTANCE,
    /// The member speaks of a generation that is over.
    ILLEGAL_GENERATION,
    /// The member has to join again before it goes on.
    REBALANCE_IN_PROGRESS,
    /// The member shares no protocol with all others.
    INCONSISTENT_PROTOCOL,
    GROUP_FULL,
    TOO_MANY_GROUPS,
    SUBSCRIPTION_TOO_LARGE,
    ASSIGNMENT_TOO_LARGE,
    OFFSET_METADATA_TOO_LARGE,
    GROUP_NOT_FOUND,
    GROUP_NOT_EMPTY,
    /// Members still subscribe to the topic.
    TOPIC_IN_USE
}
