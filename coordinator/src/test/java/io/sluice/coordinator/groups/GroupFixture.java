package io.sluice.coordinator.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.Decision;
import io.sluice.coordinator.Moment;
import io.sluice.coordinator.Ticket;
import io.sluice.coordinator.groups.GroupCommand.Assignment;
import io.sluice.coordinator.groups.GroupCommand.Client;
import io.sluice.coordinator.groups.GroupCommand.CommitOffsets;
import io.sluice.coordinator.groups.GroupCommand.Dialect;
import io.sluice.coordinator.groups.GroupCommand.Join;
import io.sluice.coordinator.groups.GroupCommand.MemberRef;
import io.sluice.coordinator.groups.GroupCommand.OffsetToCommit;
import io.sluice.coordinator.groups.GroupCommand.Protocol;
import io.sluice.coordinator.groups.GroupCommand.Timeouts;
import io.sluice.coordinator.groups.GroupReply.Joined;
import io.sluice.record.PartitionId;
import io.sluice.settings.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A machine whose decisions are carried out at once, and the commands that tests need.
class GroupFixture {
    static final MemberRef NOBODY = new MemberRef("", null, -1);
    static final PartitionId T0 = new PartitionId("t", 0);

    Map<String, String> settings = new HashMap<>();
    private @Nullable GroupMachine machine;
    private final Map<Ticket, GroupReply> replies = new HashMap<>();
    long nanos;
    long tickets;
    Duration leap = Duration.ZERO;
    boolean dateIsTrusted = true;

    GroupMachine machine() {
        GroupMachine current = machine;
        if (current == null) {
            current = new GroupMachine(GroupSettings.from(new Settings(settings)));
            machine = current;
            carryOut(current.recovered(now()));
        }
        return current;
    }

    Moment now() {
        long wallMillis = 1_700_000_000_000L + leap.toMillis() + nanos / 1_000_000;
        return new Moment(wallMillis, nanos, dateIsTrusted);
    }

    Ticket ask(GroupCommand<?> command) {
        Ticket ticket = new Ticket(++tickets);
        carryOut(machine().decide(command, ticket, now()));
        return ticket;
    }

    @Nullable GroupReply reply(GroupCommand<?> command) {
        return replies.get(ask(command));
    }

    void carryOut(Decision<GroupChange, GroupReply> decision) {
        decision.changes().forEach(machine()::apply);
        decision.answers().forEach(answer -> replies.put(answer.ticket(), answer.reply()));
    }

    void pass(Duration duration) {
        long until = nanos + duration.toNanos();
        while (machine().nextAlarmNanos() <= until) {
            nanos = Math.max(nanos, machine().nextAlarmNanos());
            carryOut(machine().wake(now()));
        }
        nanos = until;
    }

    Join join(String group, String name, String... protocols) {
        List<Protocol> offered = new ArrayList<>();
        for (String one : protocols) {
            offered.add(new Protocol(one, StoryClient.subscription(Set.of("t"))));
        }
        return join(group, "", name, offered);
    }

    Join join(String group, String memberId, String name, List<Protocol> protocols) {
        return new Join(
                group,
                memberId,
                null,
                new Client(name, "/10.0.0.1"),
                new Timeouts(45_000, 60_000),
                "consumer",
                protocols,
                new Dialect(false, true),
                new UUID(1, ++tickets),
                null);
    }

    Joined joined(Ticket ticket) {
        GroupReply reply = replies.get(ticket);
        assertThat(reply).isInstanceOf(Joined.class);
        return (Joined) reply;
    }

    /// A stable group of one, on topic `t`.
    Joined settled(String group) {
        Ticket ticket = ask(join(group, "a", "range"));
        pass(Duration.ofSeconds(1));
        Joined joined = joined(ticket);
        ask(
                new GroupCommand.Sync(
                        group,
                        new MemberRef(joined.memberId(), null, joined.generation()),
                        null,
                        null,
                        List.of(new Assignment(joined.memberId(), Blob.utf8("t-0")))));
        return joined;
    }

    CommitOffsets commit(String group, MemberRef ref, PartitionId partition, long offset) {
        return new CommitOffsets(
                group, ref, List.of(new OffsetToCommit(partition, offset, -1, "", null)), -1);
    }

    Map<PartitionId, CommittedOffset> offsets(String group) {
        return machine().table().offsets(group);
    }
}
