package io.sluice.simulation.cluster;

import io.sluice.controller.TopicPlan;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.node.Node;
import io.sluice.partition.Partition;
import io.sluice.record.PartitionId;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Fetch requests with something else in them, for the mistakes that need it, and the partition that one asks for. Stateless.
final class RewrittenFetch {
    private static final int NO_SESSION = 0;
    private static final int OUTSIDE_SESSIONS = -1;

    private RewrittenFetch() {}

    static FetchRequest of(
            FetchRequest fetch, FetchRequest.ReplicaState who, List<FetchTopic> topics) {
        return new FetchRequest(
                fetch.clusterId(),
                fetch.replicaId(),
                who,
                fetch.maxWaitMs(),
                fetch.minBytes(),
                fetch.maxBytes(),
                fetch.isolationLevel(),
                fetch.sessionId(),
                fetch.sessionEpoch(),
                topics,
                fetch.forgottenTopicsData(),
                fetch.rackId());
    }

    /// In no session, of which the leader would know what was said before and not only what is said now: the follower says all of it every time.
    static FetchRequest alone(FetchRequest fetch, List<FetchTopic> topics) {
        return new FetchRequest(
                fetch.clusterId(),
                fetch.replicaId(),
                fetch.replicaState(),
                fetch.maxWaitMs(),
                fetch.minBytes(),
                fetch.maxBytes(),
                fetch.isolationLevel(),
                NO_SESSION,
                OUTSIDE_SESSIONS,
                topics,
                List.of(),
                fetch.rackId());
    }

    static @Nullable Partition partition(Node node, UUID topic, int index) {
        TopicPlan plan = node.controller().view().findTopic(topic);
        return plan == null ? null : node.partitions().find(new PartitionId(plan.name(), index));
    }
}
