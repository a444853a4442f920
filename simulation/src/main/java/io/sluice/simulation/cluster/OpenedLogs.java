package io.sluice.simulation.cluster;

import io.sluice.node.Node;
import io.sluice.partition.Partition;
import io.sluice.simulation.cluster.ReplicaLogs.Replica;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/// To which topic the files in a partition's folder belong, by the last broker that has opened them: the name of the folder does not tell. Owned by its run.
///
/// What was left behind by a deleted topic is nobody's, until a broker takes it for what it has of the new one.
public final class OpenedLogs {
    private final Cluster cluster;
    private final Map<Replica, UUID> topics = new HashMap<>();

    OpenedLogs(Cluster cluster) {
        this.cluster = cluster;
    }

    /// Now and then.
    void look(Iterable<StoredPlan> plans) {
        for (SimBroker broker : cluster.brokers()) {
            Node node = broker.node();
            if (node != null) {
                for (StoredPlan plan : plans) {
                    Partition partition = node.partitions().find(plan.id());
                    if (partition != null && partition.highWatermarkSeen() >= 0) {
                        topics.put(new Replica(broker.id(), plan.id()), partition.topicId());
                    }
                }
            }
        }
    }

    public boolean isOf(SimBroker broker, StoredPlan plan) {
        return plan.topic().equals(topics.get(new Replica(broker.id(), plan.id())));
    }
}
