package io.sluice.listener.message;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Where messages come from: a queue or a topic. Receives only into room that an [Intake] has reserved for it.
///
/// Thread-safe: called from the listener's threads and from those of the jobs.
public interface Source {
    /// For people: `queue documents`, `topic orders`.
    String name();

    /// Whether it brings messages in an order that lanes can keep.
    default boolean keepsOrder() {
        return true;
    }

    /// How many of its messages can be worked on at once, whatever the lanes allow.
    default int mostAtWork() {
        return Integer.MAX_VALUE;
    }

    /// In a sentence, what it cannot do for several lanes; none when it can do everything.
    default @Nullable String remarkOnSeveralLanes() {
        return null;
    }

    /// Begins to receive, on threads of its own.
    void start(Intake intake);

    /// Begins no further poll. What a poll in progress still brings is handed in and goes back.
    void stopReceiving();

    /// In a sentence, why nothing can be received at the moment; none when all is well.
    default @Nullable String trouble() {
        return null;
    }

    /// How long nothing has come, although it is being received: zero while messages flow, or while there is no room for any.
    default Duration idle() {
        return Duration.ZERO;
    }

    /// How late the renewal of the lease is that has waited longest for it; zero when all are in time, or there are none.
    default Duration leaseLateness() {
        return Duration.ZERO;
    }

    /// Takes note of how a message ended. Neither blocks for long nor throws: what cannot be told at once is told later, and what
    /// can never be told comes again.
    ///
    /// A dead letter keeps its slot and its place in the order until the source has answered with [Intake#buried] or [Intake#unburied], from whatever thread: so a place
    /// for dead letters that does not answer stops the lane that needs it, and nobody else, and nothing overtakes what may have to come again.
    void settle(Message message, Settlement settlement);

    /// Tells what is still to be told and ends, within this time.
    void close(Duration deadline);
}
