package io.sluice.kafka.api.data;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.FetchableTopicResponse;
import io.sluice.kafka.wire.message.FetchResponse.LeaderIdAndEpoch;
import io.sluice.kafka.wire.message.FetchResponse.NodeEndpoint;
import io.sluice.kafka.wire.message.FetchResponse.PartitionData;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Puts together what a fetch found. In a session only what is news to the client is sent (KIP-227). Owned by its request.
final class FetchAnswer {
    private static final short WITH_CURRENT_LEADER = 12;
    private static final short WITH_PREFERRED_REPLICA = 11;
    private static final short WITH_ENDPOINTS = 16;

    private final LeaderHints hints;
    private final short version;

    FetchAnswer(ClusterView view, int self, short version) {
        this.hints = new LeaderHints(view, self);
        this.version = version;
    }

    /// @param tellAll the client hears of every partition, whether there is news or not
    FetchResponse assemble(List<FetchSlot> slots, @Nullable FetchSession session, boolean tellAll) {
        List<FetchableTopicResponse> topics = new ArrayList<>();
        List<PartitionData> partitions = new ArrayList<>();
        FetchTarget previous = null;
        for (FetchSlot slot : slots) {
            FetchTarget target = slot.target();
            if (!isNews(slot) && !tellAll) {
                continue;
            }
            if (previous != null && !isSameTopic(previous, target)) {
                topics.add(
                        new FetchableTopicResponse(
                                previous.topic(), previous.topicId(), partitions));
                partitions = new ArrayList<>();
            }
            partitions.add(partitionData(slot));
            previous = target;
            if (session != null && slot.sizeInBytes() > 0) {
                session.moveToEnd(target);
            }
        }
        if (previous != null) {
            topics.add(
                    new FetchableTopicResponse(previous.topic(), previous.topicId(), partitions));
        }
        FetchResponse.Builder response =
                FetchResponse.builder()
                        .sessionId(session == null ? 0 : session.id())
                        .responses(topics);
        return (version >= WITH_ENDPOINTS ? response.nodeEndpoints(endpoints()) : response).build();
    }

    private static boolean isNews(FetchSlot slot) {
        if (slot.error() != ErrorCode.NONE) {
            slot.target().refuse(slot.error());
            return true;
        }
        boolean changed = slot.target().tell(slot.highWatermark(), slot.startOffset());
        return changed
                || slot.sizeInBytes() > 0
                || slot.diverging().epoch() >= 0
                || slot.preferredReplica() >= 0;
    }

    private PartitionData partitionData(FetchSlot slot) {
        int index = slot.target().partition();
        PartitionData.Builder data =
                PartitionData.builder()
                        .partitionIndex(index)
                        .errorCode(slot.error().id())
                        .highWatermark(slot.highWatermark())
                        .lastStableOffset(slot.highWatermark())
                        .logStartOffset(slot.startOffset())
                        .abortedTransactions(null)
                        .records(slot.records());
        if (version >= WITH_PREFERRED_REPLICA) {
            data.preferredReadReplica(slot.preferredReplica());
        }
        if (version >= WITH_CURRENT_LEADER) {
            data.divergingEpoch(slot.diverging());
            PartitionPlan leader = hints.leaderAfter(slot.error(), slot.topic(), index);
            if (leader != null) {
                data.currentLeader(new LeaderIdAndEpoch(leader.leader(), leader.leaderEpoch()));
            }
        }
        return data.build();
    }

    private List<NodeEndpoint> endpoints() {
        List<NodeEndpoint> endpoints = new ArrayList<>();
        for (BrokerView broker : hints.named()) {
            endpoints.add(
                    new NodeEndpoint(broker.id(), broker.host(), broker.port(), broker.rack()));
        }
        return endpoints;
    }

    private static boolean isSameTopic(FetchTarget left, FetchTarget right) {
        return left.topic().equals(right.topic()) && left.topicId().equals(right.topicId());
    }
}
