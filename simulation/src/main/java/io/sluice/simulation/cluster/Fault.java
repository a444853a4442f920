package io.sluice.simulation.cluster;

/// What a [Nemesis] can do.
enum Fault {
    KILL,
    KILL_SEVERAL,
    POWER,
    POWER_WITHIN_WRITE,
    POWER_ALL,
    PAUSE,
    WIPE,
    CLEAN_RESTART,
    CUT_ONE_WAY,
    CUT_BOTH_WAYS,
    ISOLATE,
    SLOW,
    RESET,
    STRAGGLERS,
    CLIENT_CUT,
    CLIENT_RESET,
    STORE_CUT,
    STORE_DISCONNECT,
    STORE_EXPIRE,
    STORE_DOWN,
    STORE_SLOW,
    STORE_ELECTION,
    FSYNC_FAILS,
    DISK_FULL,
    DISK_SLOW,
    BIT_ROT,
    CLOCK_JUMP,
    PREFERRED_ELECTION,
    MOVE
}
