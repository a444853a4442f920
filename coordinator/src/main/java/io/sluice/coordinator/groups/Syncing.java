package io.sluice.coordinator.groups;

import io.sluice.coordinator.Moment;
import io.sluice.coordinator.Ticket;
import io.sluice.coordinator.groups.Generation.GenerationMember;
import io.sluice.coordinator.groups.GroupCommand.Assignment;
import io.sluice.coordinator.groups.GroupCommand.Sync;
import io.sluice.coordinator.groups.GroupReply.Synced;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// SyncGroup, a rebalance's second half: the leader brings the plan, everyone fetches its part. Pure.
final class Syncing {
    private final GroupSettings settings;

    Syncing(GroupSettings settings) {
        this.settings = settings;
    }

    void decide(Draft draft, Sync sync, Ticket ticket, Moment now) {
        Group group = draft.group();
        Member member = group.members().find(sync.member().memberId());
        Rejection why = flaw(group, sync);
        if (why != null || member == null) {
            draft.reject(ticket, why == null ? Rejection.UNKNOWN_MEMBER : why);
            return;
        }
        switch (group.phase()) {
            case EMPTY -> draft.reject(ticket, Rejection.UNKNOWN_MEMBER);
            case PREPARING_REBALANCE -> draft.reject(ticket, Rejection.REBALANCE_IN_PROGRESS);
            case COMPLETING_REBALANCE -> {
                if (group.isLeader(member.id()) && isTooLarge(sync.assignments())) {
                    draft.reject(ticket, Rejection.ASSIGNMENT_TOO_LARGE);
                    return;
                }
                await(draft, member, ticket, now);
                if (group.isLeader(member.id())) {
                    assign(draft, sync.assignments(), now);
                }
            }
            case STABLE -> {
                draft.become(group.withoutAwaited(Set.of(member.id())));
                draft.answer(ticket, synced(group.generation(), assignmentOf(group, member.id())));
                draft.seen(member.id(), Rounds.sessionEnd(member, now));
            }
        }
    }

    private static @Nullable Rejection flaw(Group group, Sync sync) {
        Rejection why = MemberCheck.membership(group, sync.member());
        if (why != null) {
            return why;
        }
        boolean isConsistent =
                isSame(sync.protocolType(), group.generation().protocolType())
                        && isSame(sync.protocol(), group.generation().protocol());
        return isConsistent ? null : Rejection.INCONSISTENT_PROTOCOL;
    }

    /// Old versions say nothing, which is never wrong.
    private static boolean isSame(@Nullable String told, @Nullable String known) {
        return told == null || told.equals(known);
    }

    private static void await(Draft draft, Member member, Ticket ticket, Moment now) {
        draft.reject(member.sync(), Rejection.REBALANCE_IN_PROGRESS);
        draft.put(member.waitingForSync(ticket));
        draft.become(draft.group().withoutAwaited(Set.of(member.id())));
        draft.seen(member.id(), Rounds.sessionEnd(member, now));
    }

    /// The plan counts from here. Nobody hears of it before it is committed, so a crash cannot leave two plans of one generation.
    private static void assign(Draft draft, List<Assignment> plan, Moment now) {
        Map<String, Blob> byMember = new HashMap<>();
        for (Assignment one : plan) {
            byMember.put(one.memberId(), one.partitions());
        }
        Generation formed = draft.group().generation();
        List<GenerationMember> assigned = new ArrayList<>(formed.members().size());
        for (GenerationMember member : formed.members()) {
            assigned.add(member.assigned(byMember.getOrDefault(member.id(), Blob.EMPTY)));
        }
        Generation generation = formed.withMembers(assigned, true);
        draft.record(generation);
        for (Member member : draft.members().where(each -> each.sync() != null)) {
            Blob assignment = byMember.getOrDefault(member.id(), Blob.EMPTY);
            draft.answer(member.sync(), synced(generation, assignment));
            draft.seen(member.id(), Rounds.sessionEnd(member, now));
        }
        draft.become(
                draft.group().withMembers(draft.members().map(each -> each.waitingForSync(null))));
        draft.note("generation " + generation.number() + " is assigned");
    }

    private static Blob assignmentOf(Group group, String memberId) {
        GenerationMember member = group.generation().find(memberId);
        return member == null ? Blob.EMPTY : member.assignment();
    }

    private static Synced synced(Generation generation, Blob assignment) {
        String type = generation.protocolType();
        String protocol = generation.protocol();
        return new Synced(type == null ? "" : type, protocol == null ? "" : protocol, assignment);
    }

    private boolean isTooLarge(List<Assignment> plan) {
        long total = 0;
        for (Assignment one : plan) {
            total += one.partitions().size();
        }
        return total > settings.limits().groupBytesMax();
    }
}
