package io.sluice.outbox.publishing;

import io.sluice.outbox.lanes.Numbered;
import java.util.List;
import java.util.Optional;

/// What became of an attempt to send a list of events: those that are acknowledged, and why it ended, if it ended early.
///
/// What is neither acknowledged nor refused was not sent, or nobody knows: it has to be sent again.
///
/// Immutable.
///
/// @param acknowledgedAtNanos when the last of them was; whoever sent them may have been busy with something else
public record Outcome(
        List<Numbered> acknowledged, Optional<Refused> refused, long acknowledgedAtNanos) {
    /// The first event that was refused; no later one of its partition has been written.
    public record Refused(Numbered event, Refusal why) {}

    /// Acknowledged just now.
    public Outcome(List<Numbered> acknowledged, Optional<Refused> refused) {
        this(acknowledged, refused, System.nanoTime());
    }

    public Outcome {
        acknowledged = List.copyOf(acknowledged);
    }
}
