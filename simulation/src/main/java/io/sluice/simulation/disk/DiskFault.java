package io.sluice.simulation.disk;

/// The ways in which the simulated disk can hurt, to count that each really did.
public enum DiskFault {
    /// A crash dropped a write that was not forced.
    LOST_WRITE,
    /// A crash kept some sectors of a write and dropped others.
    TORN_WRITE,
    /// A crash undid a created, renamed or deleted name that was not synced.
    LOST_NAME,
    /// A force reported an error and dropped what it should have written.
    FAILED_FORCE,
    /// A write or reservation found no room.
    FULL,
    /// A bit changed at rest.
    BIT_ROT,
    /// A read reported an error.
    READ_ERROR,
    /// The power went off inside an operation.
    POWER_CUT
}
