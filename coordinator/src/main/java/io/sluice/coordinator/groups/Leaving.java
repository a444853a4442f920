package io.sluice.coordinator.groups;

import io.sluice.coordinator.Moment;
import io.sluice.coordinator.Ticket;
import io.sluice.coordinator.groups.GroupCommand.Leave;
import io.sluice.coordinator.groups.GroupCommand.Leaver;
import io.sluice.coordinator.groups.GroupReply.LeftMember;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// LeaveGroup, and leaving without a word: members go, and the others share what they had. Pure.
final class Leaving {
    private final Rounds rounds;

    Leaving(Rounds rounds) {
        this.rounds = rounds;
    }

    void decide(Draft draft, Leave leave, Ticket ticket, Moment now) {
        List<LeftMember> results = new ArrayList<>();
        List<String> left = new ArrayList<>();
        for (Leaver leaver : leave.leavers()) {
            Rejection why = leaveOne(draft, leaver, left);
            results.add(new LeftMember(leaver.memberId(), leaver.instanceId(), why));
        }
        draft.answer(ticket, new GroupReply.Left(results));
        if (left.isEmpty()) {
            rounds.settle(draft, now);
        } else {
            rounds.openOrSettle(draft, String.join(", ", left) + " left", now);
        }
    }

    private static @Nullable Rejection leaveOne(Draft draft, Leaver leaver, List<String> left) {
        Group group = draft.group();
        String instanceId = leaver.instanceId();
        if (instanceId == null && group.pending().containsKey(leaver.memberId())) {
            draft.become(group.withoutPending(leaver.memberId()));
            return null;
        }
        Member member =
                instanceId == null
                        ? group.members().find(leaver.memberId())
                        : group.members().findByInstance(instanceId);
        if (member == null) {
            return Rejection.UNKNOWN_MEMBER;
        }
        if (!leaver.memberId().isEmpty() && !leaver.memberId().equals(member.id())) {
            return Rejection.FENCED_INSTANCE;
        }
        remove(draft, List.of(member));
        left.add(member.id() + (leaver.reason() == null ? "" : " (" + leaver.reason() + ")"));
        return null;
    }

    /// Those who have not been heard of in time.
    void lose(Draft draft, List<Member> lost, String how, Moment now) {
        if (!lost.isEmpty()) {
            Set<String> names = remove(draft, lost);
            rounds.openOrSettle(draft, String.join(", ", names) + " " + how, now);
        }
    }

    /// One who is still there after all, and waits, learns that it has to begin anew.
    private static Set<String> remove(Draft draft, List<Member> members) {
        Set<String> ids = new LinkedHashSet<>();
        for (Member member : members) {
            draft.reject(member.join(), Rejection.UNKNOWN_MEMBER);
            draft.reject(member.sync(), Rejection.UNKNOWN_MEMBER);
            ids.add(member.id());
        }
        draft.become(draft.group().withMembers(draft.members().without(ids)).withoutAwaited(ids));
        return ids;
    }
}
