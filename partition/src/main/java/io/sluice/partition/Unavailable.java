package io.sluice.partition;

/// Why a partition cannot serve a request right now.
public enum Unavailable {
    /// It was deleted here; the client should look again where it is.
    NOT_HERE,
    /// Another broker leads it, or nobody; the client should look again who.
    NOT_LEADER,
    /// Its disk failed, or its log is damaged; a person must look.
    OFFLINE,
    /// Fewer in-sync replicas than `min.insync.replicas`: nothing was appended.
    NOT_ENOUGH_REPLICAS,
    /// The same, noticed when it was in the leader's log: it may survive or not.
    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    /// Not safe within the time that the client gave; it may become so later.
    TIMED_OUT,
    /// The asker knows an older leader's term than this broker.
    FENCED_LEADER_EPOCH,
    /// The asker knows a newer leader's term: this broker has yet to hear of it.
    UNKNOWN_LEADER_EPOCH,
    /// The asking broker was started again since (KIP-903).
    STALE_BROKER_EPOCH
}
