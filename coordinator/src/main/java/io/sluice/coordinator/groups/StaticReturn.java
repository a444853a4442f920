package io.sluice.coordinator.groups;

import io.sluice.coordinator.Moment;
import io.sluice.coordinator.Ticket;
import io.sluice.coordinator.groups.Generation.GenerationMember;
import io.sluice.coordinator.groups.GroupCommand.Join;
import io.sluice.record.Invariant;
import java.util.Objects;

/// A static member comes back after a restart: it takes its own place again, without a rebalance if it wants what it had (KIP-345). Pure.
final class StaticReturn {
    private final Rounds rounds;

    StaticReturn(Rounds rounds) {
        this.rounds = rounds;
    }

    /// @param returned the same instance under a new id, with its join waiting
    void decide(Draft draft, Join join, Member old, Member returned, Moment now) {
        Group group = draft.group();
        // Two processes with one instance id: the later one wins, the earlier is told so.
        draft.reject(old.join(), Rejection.FENCED_INSTANCE);
        draft.reject(old.sync(), Rejection.FENCED_INSTANCE);
        draft.become(group.withMembers(group.members().replacing(old.id(), returned)));
        draft.seen(returned.id(), Rounds.sessionEnd(returned, now));
        String reason = old.instanceId() + " came back as " + returned.id();
        if (group.phase() == GroupPhase.STABLE && wantsTheSame(draft, old)) {
            takeOver(draft, join, old.id(), returned);
            draft.note(reason + " and goes on without a rebalance");
        } else {
            // While the leader plans with the old id, the new one would get nothing: the round has
            // to be repeated.
            rounds.openOrSettle(draft, reason, now);
        }
    }

    /// The protocol stays, and for consumers the topics do. The rest of a subscription (what it owned) changes with every restart.
    private static boolean wantsTheSame(Draft draft, Member old) {
        Generation generation = draft.group().generation();
        GenerationMember before = generation.find(old.id());
        Member after = draft.members().findByInstance(Objects.requireNonNull(old.instanceId()));
        String protocol = ProtocolVote.winner(draft.members());
        if (before == null || after == null || !protocol.equals(generation.protocol())) {
            return false;
        }
        return !Subscriptions.CONSUMER.equals(generation.protocolType())
                || Objects.equals(
                        Subscriptions.topics(before.subscription()),
                        Subscriptions.topics(after.metadata(protocol)));
    }

    private static void takeOver(Draft draft, Join join, String oldId, Member returned) {
        Group group = draft.group();
        Generation generation = group.generation();
        GenerationMember before = generation.find(oldId);
        if (before == null) {
            throw new Invariant.Violation("the generation does not know its own member " + oldId);
        }
        String oldLeader = generation.leader();
        Group.AwaitedSyncs syncs = group.syncs();
        Ticket ticket = returned.join();
        draft.become(
                group.withMembers(group.members().with(returned.settled()))
                        .withSyncs(syncs == null ? null : syncs.renaming(oldId, returned.id())));
        Generation next =
                generation.replacing(
                        oldId, returned.recorded(protocolOf(generation), before.assignment()));
        draft.record(next);
        boolean isLeader = returned.id().equals(next.leader());
        boolean skips = join.dialect().skipsAssignment();
        // A leader that has just come back must not plan: nobody would be told. It either
        // understands that (KIP-814), or is
        // told of a leader that is no more.
        draft.answer(
                ticket,
                Rounds.joined(
                        next,
                        returned.id(),
                        skips ? next.leader() : oldLeader,
                        isLeader && skips,
                        isLeader && skips));
    }

    private static String protocolOf(Generation generation) {
        String protocol = generation.protocol();
        return protocol == null ? "" : protocol;
    }
}
