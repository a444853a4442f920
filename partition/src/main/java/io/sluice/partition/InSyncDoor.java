package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.List;

/// The way to the controller for leaders that want another in-sync set, and for replicas that must not be in it. Thread-safe.
public interface InSyncDoor {
    /// A failed reply means that nobody knows whether the plan was changed; the leader then asks again.
    Reply<Answer> propose(InSyncProposal proposal, Mailbox home);

    sealed interface Answer {
        /// The plan has this set now.
        record Accepted(List<Integer> inSync, int change) implements Answer {}

        /// The plan was not changed by this.
        ///
        /// @param retry false when the leader's plan is out of date: a newer one will come
        record Refused(String sentence, boolean retry) implements Answer {}
    }
}
