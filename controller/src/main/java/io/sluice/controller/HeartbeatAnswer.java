package io.sluice.controller;

/// What the controller says to a sign of life. Immutable.
///
/// @param active false: this broker is not the controller, and the rest means nothing
/// @param known the registration with this broker epoch is the present one; otherwise the broker has to register again
/// @param fenced not admitted yet: it leads nothing and is in no in-sync set
/// @param mayStop all that it led has been handed over, or nobody can take it
public record HeartbeatAnswer(boolean active, boolean known, boolean fenced, boolean mayStop) {
    static final HeartbeatAnswer NOT_CONTROLLER = new HeartbeatAnswer(false, false, true, false);
    static final HeartbeatAnswer STALE = new HeartbeatAnswer(true, false, true, false);
}
