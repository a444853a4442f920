package io.sluice.kafka.api.data;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import io.sluice.kafka.wire.ErrorCode;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Tells clients that came to the wrong broker who leads, and where, so that they need not ask for metadata first (KIP-951).
///
/// Owned by whoever puts an answer together; remembers whom it has named.
final class LeaderHints {
    private final ClusterView view;
    private final int self;
    private final Map<Integer, BrokerView> named = new TreeMap<>();

    LeaderHints(ClusterView view, int self) {
        this.view = view;
        this.self = self;
    }

    /// The plan of a partition whose leader is worth telling after this error; null when there is nothing to tell.
    @Nullable PartitionPlan leaderAfter(ErrorCode error, String topic, int partition) {
        if (error != ErrorCode.NOT_LEADER_OR_FOLLOWER && error != ErrorCode.FENCED_LEADER_EPOCH) {
            return null;
        }
        TopicPlan plan = view.findTopic(topic);
        if (plan == null || partition < 0 || partition >= plan.partitions().size()) {
            return null;
        }
        PartitionPlan found = plan.partitions().get(partition);
        BrokerView leader = found.hasLeader() ? view.findBroker(found.leader()) : null;
        // Whoever leads and does not know whether it still does knows nobody else.
        boolean isDoubtful = error == ErrorCode.NOT_LEADER_OR_FOLLOWER && found.leader() == self;
        if (leader == null || isDoubtful) {
            return null;
        }
        named.put(leader.id(), leader);
        return found;
    }

    /// The brokers that were named, in the order of their ids.
    Iterable<BrokerView> named() {
        return named.values();
    }
}
