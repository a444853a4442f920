package io.sluice.coordinator.groups;

import io.sluice.coordinator.Moment;
import io.sluice.coordinator.groups.Generation.GenerationMember;
import io.sluice.coordinator.groups.Group.AwaitedSyncs;
import io.sluice.coordinator.groups.Group.JoinRound;
import io.sluice.coordinator.groups.GroupReply.Joined;
import io.sluice.coordinator.groups.GroupReply.JoinedMember;
import io.sluice.record.Invariant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A rebalance's first half: everyone joins, and a new generation is formed. Pure.
final class Rounds {
    private final GroupSettings settings;

    Rounds(GroupSettings settings) {
        this.settings = settings;
    }

    /// The membership has changed: begins a round, or sees whether the open one is over by it.
    void openOrSettle(Draft draft, String reason, Moment now) {
        if (draft.group().round() == null) {
            open(draft, reason, now);
        }
        settle(draft, now);
    }

    /// Ends the round if nobody is missing. An initial round waits for its deadline all the same.
    void settle(Draft draft, Moment now) {
        Group group = draft.group();
        JoinRound round = group.round();
        if (round != null
                && !round.isInitial()
                && group.pending().isEmpty()
                && group.members().joinedCount() == group.members().size()) {
            complete(draft, now);
        }
    }

    void atDeadline(Draft draft, Moment now) {
        JoinRound round = draft.group().round();
        if (round == null) {
            return;
        }
        if (round.isInitial() && round.hasGrown() && !now.hasReached(round.limitNanos())) {
            long next = Math.min(now.after(settings.initialDelay()), round.limitNanos());
            draft.become(
                    draft.group().withRound(new JoinRound(true, next, round.limitNanos(), false)));
        } else {
            complete(draft, now);
        }
    }

    private void open(Draft draft, String reason, Moment now) {
        for (Member member : draft.members().where(each -> each.sync() != null)) {
            // The plan they wait for will not come, or not count.
            draft.reject(member.sync(), Rejection.REBALANCE_IN_PROGRESS);
            draft.seen(member.id(), sessionEnd(member, now));
        }
        Group group =
                draft.group().withMembers(draft.members().map(each -> each.waitingForSync(null)));
        Duration rebalance = Duration.ofMillis(group.rebalanceTimeoutMillis());
        boolean isInitial = group.generation().isEmpty();
        Duration limit = min(settings.initialDelayLimit(), rebalance);
        JoinRound round =
                isInitial
                        ? new JoinRound(
                                true,
                                now.after(min(settings.initialDelay(), limit)),
                                now.after(limit),
                                false)
                        : new JoinRound(false, now.after(rebalance), now.after(rebalance), false);
        draft.become(group.withRound(round).withSyncs(null));
        draft.note("rebalances after generation " + group.generation().number() + ": " + reason);
    }

    private void complete(Draft draft, Moment now) {
        dropAbsent(draft);
        Members members = draft.members();
        if (members.isEmpty()) {
            becomeEmpty(draft, now);
        } else if (members.joinedCount() == 0) {
            // Only static members are left, and none has come back yet: their sessions decide.
            long deadline = now.after(Duration.ofMillis(draft.group().rebalanceTimeoutMillis()));
            draft.become(draft.group().withRound(new JoinRound(false, deadline, deadline, false)));
        } else {
            form(draft, now);
        }
    }

    /// Dynamic members that have not joined in time are gone; static ones keep their place until their session ends (KIP-345).
    private void dropAbsent(Draft draft) {
        Set<String> absent = new LinkedHashSet<>();
        for (Member member : draft.members().where(each -> !each.hasJoined() && !each.isStatic())) {
            absent.add(member.id());
        }
        if (!absent.isEmpty()) {
            draft.become(draft.group().withMembers(draft.members().without(absent)));
            draft.note(String.join(", ", absent) + " did not rejoin in time");
        }
    }

    private void becomeEmpty(Draft draft, Moment now) {
        Group group = draft.group();
        draft.become(group.withRound(null).withSyncs(null));
        draft.record(group.generation().nextEmpty(group.protocolType(), now.wallMillis()));
        draft.note("is empty, generation " + draft.group().generation().number());
    }

    private void form(Draft draft, Moment now) {
        Group group = draft.group();
        Members members = group.members();
        String protocol = ProtocolVote.winner(members);
        List<GenerationMember> recorded = new ArrayList<>(members.size());
        for (Member member : members.all()) {
            recorded.add(member.recorded(protocol, Blob.EMPTY));
        }
        Generation next =
                new Generation(
                        group.generation().number() + 1,
                        group.protocolType(),
                        protocol,
                        electLeader(group),
                        now.wallMillis(),
                        recorded,
                        false);
        long syncDeadline = now.after(Duration.ofMillis(group.rebalanceTimeoutMillis()));
        draft.become(
                group.withRound(null)
                        .withSyncs(new AwaitedSyncs(new TreeSet<>(members.ids()), syncDeadline))
                        .withMembers(members.map(Member::settled)));
        draft.record(next);
        draft.note(
                "generation "
                        + next.number()
                        + " of "
                        + members.size()
                        + " members, protocol "
                        + protocol
                        + ", led by "
                        + next.leader());
        for (Member member : members.all()) {
            draft.answer(member.join(), joined(draft.group(), member.id()));
            draft.seen(member.id(), sessionEnd(member, now));
        }
    }

    /// The old leader if it has come back, otherwise the first that has.
    private static String electLeader(Group group) {
        String old = group.generation().leader();
        Member leader = old == null ? null : group.members().find(old);
        if (leader != null && leader.hasJoined()) {
            return leader.id();
        }
        List<Member> present = group.members().where(Member::hasJoined);
        Invariant.check(!present.isEmpty(), "a generation without anybody");
        return present.getFirst().id();
    }

    /// What a member of the generation is told; its leader gets the list of all, to plan with.
    static Joined joined(Group group, String memberId) {
        Generation generation = group.generation();
        return joined(generation, memberId, generation.leader(), false, group.isLeader(memberId));
    }

    static Joined joined(
            Generation generation,
            String memberId,
            @Nullable String leader,
            boolean skipAssignment,
            boolean withMembers) {
        List<JoinedMember> members = new ArrayList<>();
        if (withMembers) {
            for (GenerationMember member : generation.members()) {
                members.add(
                        new JoinedMember(member.id(), member.instanceId(), member.subscription()));
            }
        }
        return new Joined(
                generation.number(),
                textOf(generation.protocolType()),
                textOf(generation.protocol()),
                textOf(leader),
                memberId,
                skipAssignment,
                members);
    }

    static long sessionEnd(Member member, Moment now) {
        return now.after(Duration.ofMillis(member.timeouts().sessionMillis()));
    }

    private static String textOf(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static Duration min(Duration left, Duration right) {
        return left.compareTo(right) <= 0 ? left : right;
    }
}
