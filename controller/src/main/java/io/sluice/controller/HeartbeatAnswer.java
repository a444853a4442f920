package io.sluice.controller;

/// What the controller says to a sign of life. Immutable.
///
/// @param active false: whoever was asked is not the controller, or cannot reach the metadata store
/// @param known the registration with this broker epoch is the present one; otherwise the broker has to register again
/// @param fenced not admitted yet: it leads nothing and is in no in-sync set. Whoever is not active says no to this only if it has the office, has admitted the broker, and knows that nobody else can decide
/// @param mayStop all that it led has been handed over, or nobody can take it
public record HeartbeatAnswer(boolean active, boolean known, boolean fenced, boolean mayStop) {
    static final HeartbeatAnswer NOT_CONTROLLER = new HeartbeatAnswer(false, false, true, false);
    static final HeartbeatAnswer WITHOUT_STORE = new HeartbeatAnswer(false, false, false, false);
    static final HeartbeatAnswer STALE = new HeartbeatAnswer(true, false, true, false);

    /// Whoever has said it vouches that the broker has what the plan gives it.
    boolean keepsItsPlace() {
        return !fenced && (known || !active);
    }
}
