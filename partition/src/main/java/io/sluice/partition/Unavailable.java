package io.sluice.partition;

/// Why a partition cannot serve at all right now.
public enum Unavailable {
    /// It was deleted, or is led elsewhere; the client should look again where it is.
    NOT_HERE,
    /// Its disk failed, or its log is damaged; a person must look.
    OFFLINE,
    /// Fewer in-sync replicas than `min.insync.replicas`.
    NOT_ENOUGH_REPLICAS
}
