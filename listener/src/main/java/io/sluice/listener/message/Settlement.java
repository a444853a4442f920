package io.sluice.listener.message;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What became of a message, told to its source exactly once.
public sealed interface Settlement {
    /// The job is done: the source may forget the message.
    record Done() implements Settlement {}

    /// The job failed and is to be tried again, not before this delay has passed.
    ///
    /// @param inOrder whether those behind it have to wait for it
    record Retry(Duration delay, Throwable cause, boolean inOrder) implements Settlement {
        public Retry(Duration delay, Throwable cause) {
            this(delay, cause, false);
        }
    }

    /// The job failed for good: keep the message where people look, with the cause.
    ///
    /// @param slotless whether no slot waits for it, as one does for the others until they are stored: how many of these there are, only its source can bound
    record DeadLetter(Throwable cause, int attempts, boolean slotless) implements Settlement {
        public DeadLetter(Throwable cause, int attempts) {
            this(cause, attempts, false);
        }
    }

    /// Nobody worked on it, and that is no fault of the message: it comes again after this delay, and this was no attempt.
    ///
    /// @param fullLane the lane that was full, if that is why: a source that can may bring it again as soon as there is room
    record HandBack(Duration delay, String why, @Nullable String fullLane) implements Settlement {
        public HandBack(Duration delay, String why) {
            this(delay, why, null);
        }
    }

    /// It is somebody else's already (lease expired, partition revoked): say nothing about it, above all no acknowledgement.
    record Lost(String why) implements Settlement {}
}
