package io.sluice.coordinator;

/// Why a coordinator could not take or finish a command. All of it passes, or is found elsewhere.
public enum Unavailability {
    /// The log is still being replayed, and too many wait already.
    LOADING,
    /// Another broker leads the partition.
    NOT_LEADER,
    /// No room on the disk.
    LOG_FULL,
    /// Too few in-sync replicas to take a write.
    NOT_ENOUGH_REPLICAS,
    /// The disk failed, or the log is being recovered. What was not yet answered may or may not have happened.
    LOG_OFFLINE,
    /// What would have to be written in one batch is larger than the log takes.
    TOO_LARGE,
    /// More commands wait than the coordinator keeps.
    BUSY,
    /// The broker stops.
    STOPPING
}
