package io.sluice.controller;

/// Which leader is wanted when an election is asked for.
public enum ElectionKind {
    /// The first of the replicas, where it is live and in sync.
    PREFERRED,
    /// Anyone, where nobody who has all committed data is live: what only the others have is lost.
    UNCLEAN
}
