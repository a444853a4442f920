package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;

/// A [BrokerCommand] with who waits for its outcome. Owned by the controller's mailbox.
final class BrokerRequest implements Request {
    private final BrokerCommand command;
    private final Mailbox home;
    private final Reply<BrokerOutcome> reply = new Reply<>();
    private BrokerOutcome outcome = new BrokerOutcome.Done();

    BrokerRequest(BrokerCommand command, Mailbox home) {
        this.command = command;
        this.home = home;
    }

    Reply<BrokerOutcome> reply() {
        return reply;
    }

    @Override
    public void decide(Draft draft, Circumstances circumstances) {
        outcome = new BrokerOutcome.Done();
        ClusterView view = circumstances.view();
        Member member = view.members().get(command.broker());
        if (member == null) {
            outcome =
                    new BrokerOutcome.Refused(
                            Reason.UNKNOWN_BROKER,
                            "There is no broker "
                                    + command.broker()
                                    + "; known are "
                                    + view.members().keySet()
                                    + ".");
            return;
        }
        switch (command) {
            case BrokerCommand.Drain _ -> become(member, Member.State.DRAINING, draft);
            case BrokerCommand.Resume _ -> become(member, Member.State.ACTIVE, draft);
            case BrokerCommand.Remove _ -> remove(member, view, draft);
        }
    }

    private static void become(Member member, Member.State state, Draft draft) {
        if (member.state() != state) {
            draft.put(member.with(state));
        }
    }

    /// Notes of deleted topics that wait for it are let go of later ([AbandonedNotes]): there may be too many for one commit.
    private void remove(Member member, ClusterView view, Draft draft) {
        int replicas = Repairs.replicasOn(view, member.id());
        boolean registered = view.findRegistered(member.id()) != null;
        if (registered || replicas > 0) {
            outcome =
                    new BrokerOutcome.Refused(
                            Reason.BROKER_IN_USE,
                            "Broker "
                                    + member.id()
                                    + (registered ? " is running" : " is stopped")
                                    + " and has "
                                    + replicas
                                    + " replica(s). Drain it, stop it when it has none, then remove it.");
            return;
        }
        draft.put(new Change.Delete(Member.path(member.id()), member.version()));
    }

    @Override
    public void done() {
        reply.completeOn(home, outcome);
    }

    @Override
    public void refuse(Reason reason, String sentence) {
        reply.completeOn(home, new BrokerOutcome.Refused(reason, sentence));
    }
}
