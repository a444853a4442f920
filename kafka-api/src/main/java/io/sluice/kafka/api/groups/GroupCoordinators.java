package io.sluice.kafka.api.groups;

import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.Unavailability;
import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.coordinator.groups.GroupSettings;
import io.sluice.env.Clock;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.partition.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// All group coordinators of this broker: which one a group has, and the way there and back. Thread-safe.
public final class GroupCoordinators {
    private final OffsetsTopic topic;
    private final GroupSettings settings;
    private final Clock clock;
    private final Map<Integer, CoordinatorSlot> slots = new ConcurrentHashMap<>();

    public GroupCoordinators(OffsetsTopic topic, GroupSettings settings, Clock clock) {
        this.topic = topic;
        this.settings = settings;
        this.clock = clock;
    }

    /// Asks the coordinator of the group; the answer completes at home.
    <R extends GroupReply> Reply<Outcome<R>> submit(
            String group, GroupCommand<R> command, Mailbox home) {
        return topic.require(home)
                .flatMap(count -> submitTo(partitionOf(group, count), command, home));
    }

    /// Asks every coordinator that there is.
    <R extends GroupReply> Reply<List<Outcome<R>>> submitToAll(
            GroupCommand<R> command, Mailbox home) {
        List<Reply<Outcome<R>>> answers = new ArrayList<>();
        for (int index = 0; index < topic.partitions(); index++) {
            answers.add(submitTo(index, command, home));
        }
        return Reply.all(answers);
    }

    /// Offsets of a deleted topic mean nothing any more, and would be wrong for a new one of the same name.
    public void forgetTopic(String name, Mailbox home) {
        for (int index = 0; index < topic.partitions(); index++) {
            forgetTopic(name, index, home);
        }
    }

    private void forgetTopic(String name, int index, Mailbox home) {
        submitTo(index, new GroupCommand.ForgetTopic(name), home)
                .whenDone(
                        reply -> {
                            if (!reply.isFailed()
                                    && reply.value()
                                            instanceof
                                            Outcome.Done<GroupReply.TopicForgotten>(var forgotten)
                                    && !forgotten.isComplete()) {
                                forgetTopic(name, index, home);
                            }
                        });
    }

    private <R extends GroupReply> Reply<Outcome<R>> submitTo(
            int index, GroupCommand<R> command, Mailbox home) {
        Partition partition = topic.find(index);
        if (partition == null) {
            return Reply.of(Outcome.unavailable(Unavailability.NOT_LEADER));
        }
        Reply<Outcome<R>> reply = new Reply<>();
        CoordinatorSlot slot =
                slots.computeIfAbsent(index, _ -> new CoordinatorSlot(partition, settings, clock));
        partition
                .owner()
                .run(() -> slot.submit(command, outcome -> reply.completeOn(home, typed(outcome))));
        return reply;
    }

    /// A command's type says how it is answered; the machine keeps that promise.
    @SuppressWarnings("unchecked")
    private static <R extends GroupReply> Outcome<R> typed(Outcome<GroupReply> outcome) {
        return (Outcome<R>) outcome;
    }

    private static int partitionOf(String group, int count) {
        return (group.hashCode() & Integer.MAX_VALUE) % count;
    }
}
