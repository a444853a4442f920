package io.sluice.kafka.api.groups;

import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorLimits;
import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.Unavailability;
import io.sluice.coordinator.groups.GroupChange;
import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupMachine;
import io.sluice.coordinator.groups.GroupRecordFormat;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.coordinator.groups.GroupSettings;
import io.sluice.env.Clock;
import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/// All group coordinators of this broker: which one a group has, and the way there and back (Q18).
///
/// Thread-safe: the slots are in a concurrent map, and what is in a slot is touched on its owner's thread only.
public final class GroupCoordinators {
    private final OffsetsTopic topic;
    private final GroupSettings settings;
    private final Clock clock;
    private final BooleanSupplier certain;
    private final BooleanSupplier dateIsTrusted;
    private final Map<Integer, CoordinatorSlot> slots = new ConcurrentHashMap<>();

    /// @param certain whether this broker can take it for granted that it leads what the plan last said; otherwise nobody is answered from memory
    /// @param dateIsTrusted whether the machine's date may decide that offsets are old
    public GroupCoordinators(
            OffsetsTopic topic,
            GroupSettings settings,
            Clock clock,
            BooleanSupplier certain,
            BooleanSupplier dateIsTrusted) {
        this.topic = topic;
        this.settings = settings;
        this.clock = clock;
        this.certain = certain;
        this.dateIsTrusted = dateIsTrusted;
    }

    /// Asks the coordinator of the group; the answer completes at home.
    <R extends GroupReply> Reply<Outcome<R>> submit(
            String group, GroupCommand<R> command, Mailbox home) {
        return topic.require(home)
                .flatMap(
                        count ->
                                count == 0
                                        ? Reply.of(Outcome.unavailable(Unavailability.LOG_OFFLINE))
                                        : submitTo(partitionOf(group, count), command, home));
    }

    /// Asks every coordinator on this broker.
    <R extends GroupReply> Reply<List<Outcome<R>>> submitToAll(
            GroupCommand<R> command, Mailbox home) {
        List<Reply<Outcome<R>>> answers = new ArrayList<>();
        for (int index = 0; index < topic.partitions(); index++) {
            if (topic.owner(index) != null) {
                answers.add(submitTo(index, command, home));
            }
        }
        return Reply.all(answers);
    }

    /// Loads the groups of all partitions, so that the offsets of those nobody asks for expire too. Returns at once.
    public void openAll() {
        for (int index = 0; index < topic.partitions(); index++) {
            int partition = index;
            Mailbox owner = topic.owner(partition);
            if (owner != null) {
                owner.post(() -> slot(partition, owner).open());
            }
        }
    }

    /// Offsets of a deleted topic mean nothing any more, and would be wrong for a new one of the same name; what was committed for that one stays, since a broker that was away is told late. Fails when a coordinator cannot do it now.
    public Reply<Boolean> forgetTopic(String name, UUID id, Mailbox home) {
        List<Reply<Boolean>> all = new ArrayList<>();
        for (int index = 0; index < topic.partitions(); index++) {
            if (topic.owner(index) != null) {
                all.add(forgetTopic(name, id, index, home)); // The others forget what they lead.
            }
        }
        return Reply.all(all).map(_ -> true);
    }

    private Reply<Boolean> forgetTopic(String name, UUID id, int index, Mailbox home) {
        return submitTo(index, new GroupCommand.ForgetTopic(name, id), home)
                .flatMap(
                        outcome ->
                                switch (outcome) {
                                    case Outcome.Done<GroupReply.TopicForgotten>(var forgotten) ->
                                            forgotten.isComplete()
                                                    ? Reply.of(true)
                                                    : forgetTopic(name, id, index, home);
                                    case Outcome.Unavailable<GroupReply.TopicForgotten>(var why) ->
                                            Reply.failed(
                                                    new IllegalStateException(
                                                            "The groups of partition "
                                                                    + index
                                                                    + " are not available: "
                                                                    + why));
                                });
    }

    /// The partition has another leader, or the same one for another term: whoever waits is told, and what was in memory is read again by whoever leads now.
    ///
    /// @param owner of the partition on this broker
    public void resign(int index, Mailbox owner) {
        Crossing.tell(
                owner,
                "The end of a term of the groups of partition " + index,
                () -> {
                    CoordinatorSlot slot = slots.get(index);
                    if (slot != null) {
                        slot.resign();
                    }
                });
    }

    private <R extends GroupReply> Reply<Outcome<R>> submitTo(
            int index, GroupCommand<R> command, Mailbox home) {
        Mailbox owner = topic.owner(index);
        if (owner == null) {
            return Reply.of(Outcome.unavailable(Unavailability.NOT_LEADER));
        }
        return Crossing.ask(
                        owner,
                        home,
                        "A command to the groups of partition " + index,
                        () -> slot(index, owner).submit(command))
                .map(GroupCoordinators::typed);
    }

    private CoordinatorSlot slot(int index, Mailbox owner) {
        return slots.computeIfAbsent(
                index,
                _ ->
                        new CoordinatorSlot(
                                () -> topic.open(index),
                                ready -> start(index, ready, owner),
                                certain,
                                clock,
                                owner));
    }

    private Coordinator<GroupCommand<?>, GroupChange, GroupReply> start(
            int index, OffsetsTopic.Opening.Ready ready, Mailbox owner) {
        return Coordinator.start(
                new Coordinator.Parts<>(
                        "groups of partition " + index,
                        ready.log(),
                        new GroupMachine(settings),
                        new GroupRecordFormat(),
                        clock,
                        dateIsTrusted,
                        owner,
                        CoordinatorLimits.DEFAULT));
    }

    /// A command's type says how it is answered; the machine keeps that promise.
    @SuppressWarnings("unchecked")
    private static <R extends GroupReply> Outcome<R> typed(Outcome<GroupReply> outcome) {
        return (Outcome<R>) outcome;
    }

    /// Kafka's formula, since tools compute it too.
    static int partitionOf(String group, int count) {
        int hash = group.hashCode();
        return (hash == Integer.MIN_VALUE ? 0 : Math.abs(hash)) % count;
    }
}
