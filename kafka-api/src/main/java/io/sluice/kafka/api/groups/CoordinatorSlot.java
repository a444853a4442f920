package io.sluice.kafka.api.groups;

import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorLimits;
import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.PartitionLogDoor;
import io.sluice.coordinator.Unavailability;
import io.sluice.coordinator.groups.GroupChange;
import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupMachine;
import io.sluice.coordinator.groups.GroupRecordFormat;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.coordinator.groups.GroupSettings;
import io.sluice.env.Clock;
import io.sluice.partition.LocalPartition;
import io.sluice.partition.Lookup;
import io.sluice.partition.Partition;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The place of one partition's coordinator: started on first use, started again when it had to give up. Owned by the partition's shard.
final class CoordinatorSlot {
    private final Partition partition;
    private final GroupSettings settings;
    private final Clock clock;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private @Nullable Coordinator<GroupCommand<?>, GroupChange, GroupReply> coordinator;
    private boolean opening;

    CoordinatorSlot(Partition partition, GroupSettings settings, Clock clock) {
        this.partition = partition;
        this.settings = settings;
        this.clock = clock;
    }

    /// Bounded by the requests in flight, which the connections bound.
    private record Waiting(GroupCommand<?> command, Consumer<Outcome<GroupReply>> done) {}

    /// On the owner's thread.
    void submit(GroupCommand<?> command, Consumer<Outcome<GroupReply>> done) {
        Coordinator<GroupCommand<?>, GroupChange, GroupReply> running = coordinator;
        if (running != null) {
            running.submit(command)
                    .then(done, _ -> done.accept(Outcome.unavailable(Unavailability.LOG_OFFLINE)));
            return;
        }
        waiting.add(new Waiting(command, done));
        if (!opening) {
            opening = true;
            partition.local().then(this::opened, _ -> refuseAll());
        }
    }

    private void opened(Lookup<LocalPartition> lookup) {
        opening = false;
        switch (lookup) {
            case Lookup.Failed<LocalPartition> _ -> refuseAll();
            case Lookup.Found(LocalPartition local) -> {
                coordinator =
                        Coordinator.start(
                                new Coordinator.Parts<>(
                                        partition.id().toString(),
                                        new PartitionLogDoor(local),
                                        new GroupMachine(settings),
                                        new GroupRecordFormat(),
                                        clock,
                                        partition.owner(),
                                        CoordinatorLimits.DEFAULT));
                coordinator.closed().whenDone(_ -> coordinator = null);
                for (Waiting one = waiting.poll(); one != null; one = waiting.poll()) {
                    submit(one.command(), one.done());
                }
            }
        }
    }

    private void refuseAll() {
        opening = false;
        for (Waiting one = waiting.poll(); one != null; one = waiting.poll()) {
            one.done().accept(Outcome.unavailable(Unavailability.LOG_OFFLINE));
        }
    }
}
