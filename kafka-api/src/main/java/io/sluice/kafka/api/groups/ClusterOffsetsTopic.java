package io.sluice.kafka.api.groups;

import io.sluice.controller.ClusterView;
import io.sluice.controller.Controller;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicNames;
import io.sluice.controller.TopicPlan;
import io.sluice.coordinator.PartitionLogDoor;
import io.sluice.coordinator.Unavailability;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.api.topics.TopicCreation;
import io.sluice.partition.LocalPartition;
import io.sluice.partition.Lookup;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.record.PartitionId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The offsets topic of this cluster: made on first use, compacted, replicated like every other. Thread-safe.
public final class ClusterOffsetsTopic implements OffsetsTopic {
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "cleanup.policy", "compact",
                    "compression.type", "producer",
                    "segment.bytes", String.valueOf(100 << 20),
                    "max.message.bytes", String.valueOf(17 << 20),
                    "flush", "fsync");

    private static final int REPLICAS_MAX = 3;

    private final Controller controller;
    private final TopicCreation creation;
    private final PartitionDirectory partitions;
    private final int partitionCount;

    /// @param partitionCount when the topic has to be made
    public ClusterOffsetsTopic(
            Controller controller,
            TopicCreation creation,
            PartitionDirectory partitions,
            int partitionCount) {
        this.controller = controller;
        this.creation = creation;
        this.partitions = partitions;
        this.partitionCount = partitionCount;
    }

    @Override
    public int partitions() {
        TopicPlan plan = controller.view().findTopic(TopicNames.OFFSETS);
        return plan == null ? 0 : plan.partitions().size();
    }

    @Override
    public Reply<Integer> require(Mailbox home) {
        int present = partitions();
        if (present > 0) {
            return Reply.of(present);
        }
        return creation.create(plan(partitionCount, controller.view()), home)
                .map(_ -> partitions());
    }

    /// How the topic is made: on so many brokers that one may be lost, where there are as many.
    public static TopicCommand.Create plan(int partitionCount, ClusterView view) {
        return new TopicCommand.Create(
                TopicNames.OFFSETS, partitionCount, replicas(view), List.of(), SETTINGS);
    }

    /// How many replicas it should have with the brokers that are there.
    public static int replicas(ClusterView view) {
        return Math.clamp(view.brokers().size(), 1, REPLICAS_MAX);
    }

    @Override
    public int leader(int partition) {
        PartitionPlan plan =
                controller.view().findPartition(new PartitionId(TopicNames.OFFSETS, partition));
        return plan == null ? PartitionPlan.NONE : plan.leader();
    }

    @Override
    public @Nullable Mailbox owner(int partition) {
        Partition found = find(partition);
        return found == null || !found.isLeaderHere() ? null : found.owner();
    }

    @Override
    public Reply<Opening> open(int partition) {
        Partition found = find(partition);
        return found == null
                ? Reply.of(new Opening.Failed(Unavailability.NOT_LEADER))
                : found.local().map(ClusterOffsetsTopic::opening);
    }

    private static Opening opening(Lookup<LocalPartition> lookup) {
        return switch (lookup) {
            case Lookup.Found(LocalPartition local) ->
                    new Opening.Ready(new PartitionLogDoor(local));
            case Lookup.Failed(var why, _) -> new Opening.Failed(PartitionLogDoor.causeOf(why));
        };
    }

    private @Nullable Partition find(int index) {
        return partitions.find(new PartitionId(TopicNames.OFFSETS, index));
    }
}
