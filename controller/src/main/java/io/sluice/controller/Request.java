package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;

/// Something asked of the active controller: decided on the present plan, answered when that is durable. Owned by the controller's mailbox.
///
/// When somebody else has changed the plan meanwhile, it is decided again.
interface Request {
    /// Puts what it takes into the draft, and remembers the answer.
    void decide(Draft draft, Circumstances circumstances);

    /// It can be decided on top of others in one draft.
    default boolean sharesACommit() {
        return false;
    }

    /// The draft is durable, or was empty.
    void done();

    void refuse(Reason reason, String sentence);
}
