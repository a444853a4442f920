package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;

/// Another limit for moving replicas. Owned by the controller's mailbox.
final class MoveLimitRequest implements Request {
    private final long bytesPerSecond;
    private final Mailbox home;
    private final Reply<BrokerOutcome> reply = new Reply<>();

    MoveLimitRequest(long bytesPerSecond, Mailbox home) {
        this.bytesPerSecond = bytesPerSecond;
        this.home = home;
    }

    Reply<BrokerOutcome> reply() {
        return reply;
    }

    @Override
    public void decide(Draft draft, Circumstances circumstances) {
        MoveLimit present = circumstances.view().upcoming().limit();
        if (present.bytesPerSecond() != bytesPerSecond) {
            draft.put(present.changeTo(bytesPerSecond));
        }
    }

    @Override
    public void done() {
        reply.completeOn(home, new BrokerOutcome.Done());
    }

    @Override
    public void refuse(Reason reason, String sentence) {
        reply.completeOn(home, new BrokerOutcome.Refused(reason, sentence));
    }
}
