package io.sluice.controller;

import java.util.List;

/// What became of an [InSyncChange]. Immutable.
public sealed interface InSyncAnswer {
    /// Durable in the plan; these are the words of the plan now.
    record Accepted(int leader, int leaderEpoch, List<Integer> inSync, int change)
            implements InSyncAnswer {}

    record Refused(Flaw flaw, String sentence) implements InSyncAnswer {}

    enum Flaw {
        /// Ask the active controller.
        NOT_CONTROLLER,
        /// The asking process is not the one that is registered.
        STALE_BROKER_EPOCH,
        UNKNOWN_PARTITION,
        /// Somebody else leads by now.
        FENCED_LEADER_EPOCH,
        /// The plan has changed since, perhaps by this; the newer one is on its way to the leader.
        STALE_CHANGE,
        /// The leader knows a newer plan than the controller has seen yet: ask again.
        BEHIND,
        /// A member is not a live replica in the broker epoch that was given.
        INELIGIBLE_REPLICA,
        INVALID,
        /// The metadata store could not write it down, or nobody knows whether it has: ask again.
        STORE_FAILED
    }
}
