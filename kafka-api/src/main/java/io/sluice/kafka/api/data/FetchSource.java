package io.sluice.kafka.api.data;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.record.PartitionId;
import org.jspecify.annotations.Nullable;

/// Where a fetch may read: finds each partition, and says where else it is when not here. Immutable; made for one request.
record FetchSource(
        PartitionDirectory partitions, ClusterView view, int self, FetchedBy by, short version) {
    /// Since this version topics are named by their ids.
    static final short BY_TOPIC_ID = 13;

    FetchSlot slot(FetchTarget target) {
        TopicPlan plan =
                version >= BY_TOPIC_ID
                        ? view.findTopic(target.topicId())
                        : view.findTopic(target.topic());
        if (plan == null) {
            return FetchSlot.refused(
                    target,
                    "",
                    version >= BY_TOPIC_ID
                            ? ErrorCode.UNKNOWN_TOPIC_ID
                            : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        }
        if (target.partition() < 0 || target.partition() >= plan.partitions().size()) {
            return FetchSlot.refused(target, plan.name(), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        }
        Partition partition = partitions.find(new PartitionId(plan.name(), target.partition()));
        // What is here may belong to another topic of this name, of which the plan that is
        // looked at says nothing any more, or nothing yet.
        if (partition == null || !partition.topicId().equals(plan.id())) {
            return FetchSlot.refused(target, plan.name(), ErrorCode.NOT_LEADER_OR_FOLLOWER);
        }
        return switch (by) {
            case FetchedBy.Replica replica ->
                    new ReplicaSlot(
                            target, plan.name(), partition, replica, tellsWatermark(replica));
            case FetchedBy.Consumer consumer -> consumerSlot(target, plan, partition, consumer);
        };
    }

    private FetchSlot consumerSlot(
            FetchTarget target, TopicPlan plan, Partition partition, FetchedBy.Consumer consumer) {
        ErrorCode fenced = LeaderEpochs.check(target.leaderEpoch(), partition.leaderEpoch());
        if (fenced != ErrorCode.NONE) {
            return FetchSlot.refused(target, plan.name(), fenced);
        }
        int nearer =
                consumer.rack().isEmpty() || !partition.isLeaderHere()
                        ? PartitionPlan.NONE
                        : nearer(plan.partitions().get(target.partition()), consumer.rack());
        return new ConsumerSlot(target, plan.name(), partition, consumer.nearest(), nearer);
    }

    /// An in-sync replica in the client's rack, when the leader is in another (KIP-392).
    private int nearer(PartitionPlan plan, String rack) {
        if (rack.equals(rackOf(self))) {
            return PartitionPlan.NONE;
        }
        for (int replica : plan.replicas()) {
            if (replica != self
                    && plan.inSync().contains(replica)
                    && rack.equals(rackOf(replica))) {
                return replica;
            }
        }
        return PartitionPlan.NONE;
    }

    /// Clients read from the follower only if it is in another rack: then it should know at once what they may read.
    private boolean tellsWatermark(FetchedBy.Replica replica) {
        String there = rackOf(replica.broker());
        return there != null && !there.equals(rackOf(self));
    }

    private @Nullable String rackOf(int broker) {
        BrokerView found = view.findBroker(broker);
        return found == null ? null : found.rack();
    }
}
