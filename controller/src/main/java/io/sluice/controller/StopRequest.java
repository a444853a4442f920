package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;

/// A broker asks to stop: it hands over what it leads, and is answered when that is durable. Owned by the controller's mailbox.
final class StopRequest implements Request {
    private final int broker;
    private final Mailbox home;
    private final Reply<HeartbeatAnswer> reply = new Reply<>();
    private HeartbeatAnswer answer = HeartbeatAnswer.STALE;

    StopRequest(int broker, Mailbox home) {
        this.broker = broker;
        this.home = home;
    }

    Reply<HeartbeatAnswer> reply() {
        return reply;
    }

    @Override
    public boolean sharesACommit() {
        return true;
    }

    @Override
    public void decide(Draft draft, Circumstances circumstances) {
        boolean complete =
                draft.apply(
                        (plan, rules) ->
                                Elections.handOver(
                                        plan,
                                        broker,
                                        circumstances::isStaying,
                                        circumstances.view()::isDiskFull,
                                        rules));
        answer = new HeartbeatAnswer(true, true, !circumstances.view().isLive(broker), complete);
    }

    @Override
    public void done() {
        reply.completeOn(home, answer);
    }

    @Override
    public void refuse(Reason reason, String sentence) {
        reply.completeOn(
                home,
                reason == Reason.NOT_CONTROLLER
                        ? HeartbeatAnswer.NOT_CONTROLLER
                        : new HeartbeatAnswer(true, true, false, false));
    }
}
