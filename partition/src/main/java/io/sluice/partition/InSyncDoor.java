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
        /// @param retry false when asking again would be in vain
        record Refused(String sentence, boolean retry) implements Answer {}

        /// The plan is another one by now, be it by this proposal, whose outcome was unknown to the controller for a while, or by something else. The leader hears of it in a moment, and does not know before that who
        /// is in it.
        record Outdated(String sentence) implements Answer {}
    }
}
