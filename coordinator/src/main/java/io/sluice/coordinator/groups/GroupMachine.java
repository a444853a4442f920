package io.sluice.coordinator.groups;

import io.sluice.coordinator.Decision;
import io.sluice.coordinator.Machine;
import io.sluice.coordinator.Moment;
import io.sluice.coordinator.Ticket;
import io.sluice.coordinator.groups.GroupChange.GroupForgotten;
import io.sluice.coordinator.groups.GroupChange.OffsetForgotten;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The groups of one partition: the classic group protocol as a log-backed machine.
///
/// ```
///                    a member joins                      initial delay over
///   (none) ─────────────────────────▶ PreparingRebalance ──────────────────┐
///     ▲                                  ▲   ▲   │  all have joined,        │
///     │ deleted,       a member joins    │   │   │  or rebalance time-out   ▼
///     │ or expired ┌─────────────────────┘   │   └──────────▶ CompletingRebalance
///     │            │                         │ join, leave,         │ the leader
///   Empty ◀────────┼─────────────────────────┤ session time-out,    │ syncs
///                  │  nobody has joined      │ leader rejoins       ▼
///                  │                         └─────────────────── Stable
///                  └ (a new generation each time the round of joining ends)
/// ```
/// Logged are generations (when formed and when assigned), and offsets. Who has joined an open round, who waits, and heartbeats
/// are remembered only: after a restart the last generation stands, its members get a full session, and a round that was open is begun again
/// by the members themselves. Owned by the coordinator's shard.
public final class GroupMachine implements Machine<GroupCommand<?>, GroupChange, GroupReply> {
    private static final int GROUPS_PER_EXPIRY = 256;

    /// In one decision, and so in one batch.
    private static final int TOMBSTONES_MAX = 10_000;

    private final GroupSettings settings;
    private final GroupTable table = new GroupTable();
    private final Joining joining;
    private final Syncing syncing;
    private final Leaving leaving;
    private final Deadlines deadlines;
    private final OffsetDecisions offsets;
    private final OffsetExpiry expiry;

    public GroupMachine(GroupSettings settings) {
        this.settings = settings;
        Rounds rounds = new Rounds(settings);
        this.joining = new Joining(settings, rounds);
        this.syncing = new Syncing(settings);
        this.leaving = new Leaving(rounds);
        this.deadlines = new Deadlines(rounds, leaving);
        this.offsets = new OffsetDecisions(settings);
        this.expiry = new OffsetExpiry(settings.offsetsRetention());
    }

    @Override
    public Decision<GroupChange, GroupReply> decide(
            GroupCommand<?> command, Ticket ticket, Moment now) {
        return switch (command) {
            case GroupCommand.Join join -> join(join, ticket, now);
            case GroupCommand.Sync sync -> sync(sync, ticket, now);
            case GroupCommand.Heartbeat heartbeat -> heartbeat(heartbeat, ticket, now);
            case GroupCommand.Leave leave -> leave(leave, ticket, now);
            case GroupCommand.CommitOffsets commit -> commit(commit, ticket, now);
            case GroupCommand.FetchOffsets fetch ->
                    Decision.answer(
                            ticket, OffsetDecisions.fetch(fetch, table.offsets(fetch.group())));
            case GroupCommand.DeleteOffsets delete -> deleteOffsets(delete, ticket);
            case GroupCommand.DeleteGroup delete -> deleteGroup(delete, ticket);
            case GroupCommand.Describe describe -> describe(describe, ticket);
            case GroupCommand.ListGroups list ->
                    Decision.answer(ticket, Descriptions.list(table.behind(null), list.phases()));
            case GroupCommand.ForgetTopic forget -> forgetTopic(forget, ticket);
        };
    }

    @Override
    public void apply(GroupChange change) {
        table.apply(change);
    }

    @Override
    public Decision<GroupChange, GroupReply> recovered(Moment now) {
        return Decision.of(
                List.of(
                        new GroupChange.Restarted(
                                now.nanos(), now.after(settings.expiryInterval()))));
    }

    @Override
    public long nextAlarmNanos() {
        return table.nextAlarmNanos();
    }

    /// One group at a time, then expiry: small decisions make small batches.
    @Override
    public Decision<GroupChange, GroupReply> wake(Moment now) {
        String due = table.firstOnAgenda(now.nanos());
        GroupTable.Entry entry = due == null ? null : table.find(due);
        if (entry == null) {
            return expire(now);
        }
        Draft draft = new Draft(entry.group());
        deadlines.decide(draft, entry.sessions(), now);
        Decision<GroupChange, GroupReply> decision = draft.finish();
        return decision.changes().isEmpty()
                ? Decision.of(
                        List.of(
                                new GroupChange.AlarmMoved(
                                        entry.group().id(),
                                        Deadlines.next(entry.group(), entry.sessions()))))
                : decision;
    }

    private Decision<GroupChange, GroupReply> join(
            GroupCommand.Join join, Ticket ticket, Moment now) {
        if (isOneTooMany(join.group())) {
            return rejected(ticket, Rejection.TOO_MANY_GROUPS);
        }
        Draft draft = new Draft(table.group(join.group()));
        joining.decide(draft, join, ticket, now);
        return draft.finish();
    }

    private Decision<GroupChange, GroupReply> sync(
            GroupCommand.Sync sync, Ticket ticket, Moment now) {
        Draft draft = new Draft(table.group(sync.group()));
        syncing.decide(draft, sync, ticket, now);
        return draft.finish();
    }

    private Decision<GroupChange, GroupReply> heartbeat(
            GroupCommand.Heartbeat heartbeat, Ticket ticket, Moment now) {
        Group group = table.group(heartbeat.group());
        Rejection why = MemberCheck.membership(group, heartbeat.member());
        Member member = group.members().find(heartbeat.member().memberId());
        if (why != null || member == null) {
            return rejected(ticket, why == null ? Rejection.UNKNOWN_MEMBER : why);
        }
        GroupReply reply =
                group.phase() == GroupPhase.PREPARING_REBALANCE
                        ? new GroupReply.Rejected(Rejection.REBALANCE_IN_PROGRESS)
                        : new GroupReply.Alive();
        long deadline = Rounds.sessionEnd(member, now);
        return Decision.of(
                List.of(new GroupChange.MemberSeen(group.id(), member.id(), deadline)),
                ticket,
                reply);
    }

    private Decision<GroupChange, GroupReply> leave(
            GroupCommand.Leave leave, Ticket ticket, Moment now) {
        Draft draft = new Draft(table.group(leave.group()));
        leaving.decide(draft, leave, ticket, now);
        return draft.finish();
    }

    private Decision<GroupChange, GroupReply> commit(
            GroupCommand.CommitOffsets commit, Ticket ticket, Moment now) {
        return isOneTooMany(commit.group())
                ? rejected(ticket, Rejection.TOO_MANY_GROUPS)
                : offsets.commit(table.group(commit.group()), commit, ticket, now);
    }

    private Decision<GroupChange, GroupReply> deleteOffsets(
            GroupCommand.DeleteOffsets delete, Ticket ticket) {
        GroupTable.Entry entry = table.find(delete.group());
        return entry == null
                ? rejected(ticket, Rejection.GROUP_NOT_FOUND)
                : OffsetDecisions.delete(entry.group(), delete, entry.offsets(), ticket);
    }

    private Decision<GroupChange, GroupReply> deleteGroup(
            GroupCommand.DeleteGroup delete, Ticket ticket) {
        GroupTable.Entry entry = table.find(delete.group());
        if (entry == null) {
            return rejected(ticket, Rejection.GROUP_NOT_FOUND);
        }
        if (entry.group().phase() != GroupPhase.EMPTY) {
            return rejected(ticket, Rejection.GROUP_NOT_EMPTY);
        }
        List<GroupChange> changes = new ArrayList<>();
        for (PartitionId partition : entry.offsets().keySet()) {
            changes.add(new OffsetForgotten(delete.group(), partition));
        }
        if (entry.group().generation().number() > 0) {
            changes.add(new GroupForgotten(delete.group()));
        }
        return Decision.of(changes, ticket, new GroupReply.GroupDeleted());
    }

    private Decision<GroupChange, GroupReply> describe(
            GroupCommand.Describe describe, Ticket ticket) {
        GroupTable.Entry entry = table.find(describe.group());
        return entry == null
                ? rejected(ticket, Rejection.GROUP_NOT_FOUND)
                : Decision.answer(ticket, Descriptions.of(entry.group()));
    }

    private Decision<GroupChange, GroupReply> forgetTopic(
            GroupCommand.ForgetTopic forget, Ticket ticket) {
        List<GroupChange> changes = new ArrayList<>();
        for (Map.Entry<String, GroupTable.Entry> one : table.behind(null).entrySet()) {
            one.getValue()
                    .offsets()
                    .forEach(
                            (partition, committed) -> {
                                if (partition.topic().equals(forget.topic())
                                        && committed.mayBeOf(forget.id())
                                        && changes.size() < TOMBSTONES_MAX) {
                                    changes.add(new OffsetForgotten(one.getKey(), partition));
                                }
                            });
        }
        boolean isComplete = changes.size() < TOMBSTONES_MAX;
        return Decision.of(
                changes, ticket, new GroupReply.TopicForgotten(changes.size(), isComplete));
    }

    /// Looks at some groups, from where it stopped the last time; after the last group it rests for the interval, as it does while the date may be wrong: offsets that are forgotten do not
    /// come back when the date does.
    private Decision<GroupChange, GroupReply> expire(Moment now) {
        List<GroupChange> changes = new ArrayList<>();
        if (!now.dateIsTrusted()) {
            changes.add(
                    new GroupChange.ExpiryMoved(
                            table.expiryCursor(), now.after(settings.expiryInterval())));
            return Decision.of(changes);
        }
        String cursor = table.expiryCursor();
        int looked = 0;
        for (Map.Entry<String, GroupTable.Entry> one :
                table.behind(table.expiryCursor()).entrySet()) {
            boolean isDone = expireOne(one.getKey(), one.getValue(), now, changes);
            if (!isDone || ++looked == GROUPS_PER_EXPIRY) {
                String reached = isDone ? one.getKey() : cursor;
                changes.add(new GroupChange.ExpiryMoved(reached, now.nanos()));
                return Decision.of(changes);
            }
            cursor = one.getKey();
        }
        changes.add(new GroupChange.ExpiryMoved(null, now.after(settings.expiryInterval())));
        return Decision.of(changes);
    }

    /// False when the group has more to expire than fits this decision.
    private boolean expireOne(
            String id, GroupTable.Entry entry, Moment now, List<GroupChange> changes) {
        Group group = entry.group();
        List<PartitionId> expired = expiry.expired(group, entry.offsets(), now.wallMillis());
        for (PartitionId partition : expired) {
            if (changes.size() == TOMBSTONES_MAX) {
                return false;
            }
            changes.add(new OffsetForgotten(id, partition));
        }
        boolean holdsNothing = expired.size() == entry.offsets().size();
        if (holdsNothing
                && group.phase() == GroupPhase.EMPTY
                && group.pending().isEmpty()
                && group.generation().number() > 0) {
            changes.add(new GroupForgotten(id));
        }
        return true;
    }

    private boolean isOneTooMany(String group) {
        return table.size() >= settings.limits().groupsMax() && table.find(group) == null;
    }

    private static Decision<GroupChange, GroupReply> rejected(Ticket ticket, Rejection why) {
        return Decision.answer(ticket, new GroupReply.Rejected(why));
    }

    /// For tests, which compare what is known before and after a restart.
    GroupTable table() {
        return table;
    }
}
