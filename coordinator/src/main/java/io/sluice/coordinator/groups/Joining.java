package io.sluice.coordinator.groups;

import io.sluice.coordinator.Moment;
import io.sluice.coordinator.Ticket;
import io.sluice.coordinator.groups.Group.JoinRound;
import io.sluice.coordinator.groups.GroupCommand.Join;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// JoinGroup: newcomers, those who come back, and who is turned away. Pure.
final class Joining {
    private final GroupSettings settings;
    private final Rounds rounds;
    private final StaticReturn staticReturn;

    Joining(GroupSettings settings, Rounds rounds) {
        this.settings = settings;
        this.rounds = rounds;
        this.staticReturn = new StaticReturn(rounds);
    }

    void decide(Draft draft, Join join, Ticket ticket, Moment now) {
        Rejection flaw = flaw(draft.group(), join);
        if (flaw != null) {
            draft.reject(ticket, flaw);
        } else if (join.memberId().isEmpty()) {
            newcomer(draft, join, ticket, now);
        } else {
            returning(draft, join, ticket, now);
        }
    }

    private @Nullable Rejection flaw(Group group, Join join) {
        Duration session = Duration.ofMillis(join.timeouts().sessionMillis());
        if (join.group().isEmpty()) {
            return Rejection.INVALID_GROUP_ID;
        }
        if (hasLongName(join)) {
            return Rejection.NAME_TOO_LONG;
        }
        if (session.compareTo(settings.sessionMin()) < 0
                || session.compareTo(settings.sessionMax()) > 0) {
            return Rejection.INVALID_SESSION_TIMEOUT;
        }
        Member known = known(group, join);
        if (isFull(group, known)) {
            return Rejection.GROUP_FULL;
        }
        if (!ProtocolVote.fits(
                join.protocolType(),
                join.protocols(),
                group.protocolType(),
                group.members(),
                known)) {
            return Rejection.INCONSISTENT_PROTOCOL;
        }
        long bytes = Member.bytesOf(join.protocols());
        long others = group.members().metadataBytes() - (known == null ? 0 : known.metadataBytes());
        return bytes > settings.limits().memberBytesMax()
                        || others + bytes > settings.limits().groupBytesMax()
                ? Rejection.SUBSCRIPTION_TOO_LARGE
                : null;
    }

    private static boolean hasLongName(Join join) {
        String instanceId = join.instanceId();
        return MemberCheck.isTooLong(join.group())
                || MemberCheck.isTooLong(join.client().id())
                || MemberCheck.isTooLong(join.client().host())
                || MemberCheck.isTooLong(join.protocolType())
                || (instanceId != null && MemberCheck.isTooLong(instanceId))
                || join.protocols().stream().anyMatch(each -> MemberCheck.isTooLong(each.name()));
    }

    private static @Nullable Member known(Group group, Join join) {
        String instanceId = join.instanceId();
        return instanceId == null
                ? group.members().find(join.memberId())
                : group.members().findByInstance(instanceId);
    }

    /// A member keeps its place, unless the limit was lowered and the others have filled the group already (KIP-389).
    private boolean isFull(Group group, @Nullable Member known) {
        if (known == null) {
            return group.members().size() >= settings.limits().membersMax();
        }
        return group.phase() == GroupPhase.PREPARING_REBALANCE
                && !known.hasJoined()
                && group.members().joinedCount() >= settings.limits().membersMax();
    }

    private void newcomer(Draft draft, Join join, Ticket ticket, Moment now) {
        String instanceId = join.instanceId();
        if (instanceId != null) {
            String id = instanceId + "-" + join.fresh();
            Member old = draft.members().findByInstance(instanceId);
            if (old == null) {
                add(draft, join, Member.of(join, id, ticket), now);
            } else {
                staticReturn.decide(draft, join, old, old.returning(join, id, ticket), now);
            }
            return;
        }
        String id = join.client().id() + "-" + join.fresh();
        if (!join.dialect().takesMemberIdFirst()) {
            add(draft, join, Member.of(join, id, ticket), now);
        } else if (draft.group().pending().size() >= settings.limits().membersMax()) {
            draft.reject(ticket, Rejection.GROUP_FULL);
        } else {
            // Members whose first answer gets lost would otherwise fill the group with ghosts
            // (KIP-394).
            long deadline = now.after(Duration.ofMillis(join.timeouts().sessionMillis()));
            draft.become(draft.group().withPending(id, deadline));
            draft.answer(ticket, new GroupReply.MemberIdRequired(id));
        }
    }

    private void returning(Draft draft, Join join, Ticket ticket, Moment now) {
        Group group = draft.group();
        if (join.instanceId() == null && group.pending().containsKey(join.memberId())) {
            add(draft, join, Member.of(join, join.memberId(), ticket), now);
            return;
        }
        Rejection stranger = MemberCheck.identity(group, join.memberId(), join.instanceId());
        Member member = group.members().find(join.memberId());
        if (stranger != null || member == null) {
            draft.reject(ticket, stranger == null ? Rejection.UNKNOWN_MEMBER : stranger);
            return;
        }
        boolean isUnchanged = member.protocols().equals(join.protocols());
        switch (group.phase()) {
            case EMPTY -> draft.reject(ticket, Rejection.UNKNOWN_MEMBER);
            case PREPARING_REBALANCE ->
                    rejoin(draft, join, member, ticket, member.id() + " rejoined", now);
            case COMPLETING_REBALANCE -> {
                if (isUnchanged) {
                    repeat(draft, member, ticket, now);
                } else {
                    rejoin(draft, join, member, ticket, changed(member, join), now);
                }
            }
            case STABLE -> {
                // A leader rejoins on purpose: it has seen something that the others have not, such
                // as more partitions.
                if (group.isLeader(member.id())) {
                    rejoin(draft, join, member, ticket, "the leader rejoined" + why(join), now);
                } else if (isUnchanged) {
                    repeat(draft, member, ticket, now);
                } else {
                    rejoin(draft, join, member, ticket, changed(member, join), now);
                }
            }
        }
    }

    /// Its answer got lost, or it asks for no reason: the same answer once more.
    private static void repeat(Draft draft, Member member, Ticket ticket, Moment now) {
        draft.answer(ticket, Rounds.joined(draft.group(), member.id()));
        draft.seen(member.id(), Rounds.sessionEnd(member, now));
    }

    private void rejoin(
            Draft draft, Join join, Member member, Ticket ticket, String reason, Moment now) {
        // An earlier join of the same member that still waits: its connection is gone, or it gave
        // up.
        draft.reject(member.join(), Rejection.REBALANCE_IN_PROGRESS);
        draft.put(member.rejoining(join, ticket));
        draft.seen(member.id(), Rounds.sessionEnd(member, now));
        rounds.openOrSettle(draft, reason, now);
    }

    private void add(Draft draft, Join join, Member member, Moment now) {
        JoinRound round = draft.group().round();
        draft.become(draft.group().withoutPending(member.id()));
        draft.put(member);
        draft.seen(member.id(), now.after(settings.newMemberPatience()));
        if (round != null && round.isInitial()) {
            draft.become(
                    draft.group()
                            .withRound(
                                    new JoinRound(
                                            true,
                                            round.deadlineNanos(),
                                            round.limitNanos(),
                                            true)));
        }
        rounds.openOrSettle(draft, member.id() + " joined" + why(join), now);
    }

    private static String changed(Member member, Join join) {
        return member.id() + " changed its subscription" + why(join);
    }

    private static String why(Join join) {
        return join.reason() == null ? "" : " (" + join.reason() + ")";
    }
}
