package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A [TopicCommand] with who waits for its outcome. Owned by the controller's mailbox.
final class TopicRequest implements Request {
    private final TopicPlanner planner;
    private final TopicCommand command;
    private final boolean validateOnly;
    private final UUID freshId;
    private final Mailbox home;
    private final Reply<TopicOutcome> reply = new Reply<>();
    private @Nullable TopicOutcome outcome;

    TopicRequest(
            TopicPlanner planner,
            TopicCommand command,
            boolean validateOnly,
            UUID freshId,
            Mailbox home) {
        this.planner = planner;
        this.command = command;
        this.validateOnly = validateOnly;
        this.freshId = freshId;
        this.home = home;
    }

    TopicCommand command() {
        return command;
    }

    Reply<TopicOutcome> reply() {
        return reply;
    }

    @Override
    public void decide(Draft draft, Circumstances circumstances) {
        TopicPlanner.Decision decision = planner.decide(command, circumstances, freshId);
        outcome = decision.outcome();
        if (!validateOnly) {
            decision.changes().forEach(draft::put);
        }
    }

    /// The topic is gone, and the answer waits until its data is, too.
    boolean isDeletion() {
        return command instanceof TopicCommand.Delete
                && outcome instanceof TopicOutcome.Done
                && !validateOnly;
    }

    @Override
    public void done() {
        TopicOutcome decided = outcome;
        if (decided == null) {
            throw new IllegalStateException("answered before it was decided: " + command);
        }
        reply.completeOn(home, decided);
    }

    @Override
    public void refuse(Reason reason, String sentence) {
        reply.completeOn(home, new TopicOutcome.Refused(reason, sentence));
    }
}
