package io.sluice.partition;

/// What became of a leader's answer at its follower. Immutable.
public sealed interface FollowOutcome {
    /// It is safe here; this is where to go on.
    record Next(FetchPosition position) implements FollowOutcome {}

    /// The term is over, or this broker leads now: nothing was done.
    record Stale(int leaderEpoch) implements FollowOutcome {}

    record Failed(Unavailable why, String sentence) implements FollowOutcome {}
}
