package io.sluice.simulation.cluster;

import io.sluice.env.Network;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.AlterPartitionRequest;
import io.sluice.kafka.wire.message.AlterPartitionResponse;
import io.sluice.kafka.wire.message.BrokerHeartbeatResponse;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.EpochEndOffset;
import io.sluice.kafka.wire.message.FetchResponse.FetchableTopicResponse;
import io.sluice.node.Node;
import io.sluice.partition.Partition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Mistakes of history at those who follow, a leader or a controller: put between a correct broker and its door to the network. The ids are those of the catalogue of such bugs.
final class FollowerMistakes {
    /// No plan is as old, so that nothing comes of what is asked by it.
    private static final int NEVER = -7;

    private static final long FAR_AWAY = 1_000_000_000L;

    private FollowerMistakes() {}

    /// R1, KIP-101: whoever begins to follow cuts its log to its own high watermark, which lags behind what is committed.
    static Network truncatesToHighWatermark(Network network, SimBroker broker) {
        Set<String> begun = new HashSet<>();
        return new RewritingNetwork(
                network,
                new RewritingNetwork.Rewriting() {
                    @Override
                    public ApiResponse answered(ApiRequest request, ApiResponse response) {
                        Node node = broker.node();
                        return node != null
                                        && request instanceof FetchRequest fetch
                                        && response instanceof FetchResponse answer
                                ? cutAtWatermark(node, fetch, answer, begun)
                                : response;
                    }
                });
    }

    private static FetchResponse cutAtWatermark(
            Node node, FetchRequest request, FetchResponse response, Set<String> begun) {
        List<FetchableTopicResponse> topics = new ArrayList<>();
        for (FetchableTopicResponse topic : response.responses()) {
            List<FetchResponse.PartitionData> partitions = new ArrayList<>();
            for (FetchResponse.PartitionData data : topic.partitions()) {
                FetchPartition asked = find(request, topic.topicId(), data.partitionIndex());
                Partition partition =
                        RewrittenFetch.partition(node, topic.topicId(), data.partitionIndex());
                if (asked != null
                        && partition != null
                        && data.errorCode() == 0
                        && asked.lastFetchedEpoch() >= 0
                        && partition.highWatermarkSeen() >= 0
                        && partition.highWatermarkSeen() < asked.fetchOffset()
                        && begun.add(partition.id() + " " + asked.currentLeaderEpoch())) {
                    long watermark = partition.highWatermarkSeen();
                    partitions.add(diverging(data, asked.lastFetchedEpoch(), watermark));
                } else {
                    partitions.add(data);
                }
            }
            topics.add(new FetchableTopicResponse(topic.topic(), topic.topicId(), partitions));
        }
        return new FetchResponse(
                response.throttleTimeMs(),
                response.errorCode(),
                response.sessionId(),
                topics,
                response.nodeEndpoints());
    }

    private static FetchResponse.PartitionData diverging(
            FetchResponse.PartitionData data, int epoch, long end) {
        return FetchResponse.PartitionData.builder()
                .partitionIndex(data.partitionIndex())
                .highWatermark(data.highWatermark())
                .lastStableOffset(data.lastStableOffset())
                .logStartOffset(data.logStartOffset())
                .divergingEpoch(new EpochEndOffset(epoch, end))
                .build();
    }

    private static @Nullable FetchPartition find(FetchRequest request, UUID topic, int index) {
        for (FetchTopic one : request.topics()) {
            for (FetchPartition partition : one.partitions()) {
                if (one.topicId().equals(topic) && partition.partition() == index) {
                    return partition;
                }
            }
        }
        return null;
    }

    /// R2, KIP-279: a follower does not say of which epoch its last batch is, so that nobody sees that its history is another one.
    static Network hidesItsLastEpoch(Network network) {
        return onFetch(
                network,
                partition ->
                        new FetchPartition(
                                partition.partition(),
                                partition.currentLeaderEpoch(),
                                partition.fetchOffset(),
                                -1,
                                partition.logStartOffset(),
                                partition.partitionMaxBytes(),
                                partition.replicaDirectoryId(),
                                partition.highWatermark()));
    }

    /// A follower asks for what comes next before it has it.
    static Network asksAhead(Network network) {
        return onFetch(
                network,
                partition ->
                        new FetchPartition(
                                partition.partition(),
                                partition.currentLeaderEpoch(),
                                partition.fetchOffset() + 1,
                                partition.lastFetchedEpoch(),
                                partition.logStartOffset(),
                                partition.partitionMaxBytes(),
                                partition.replicaDirectoryId(),
                                partition.highWatermark()));
    }

    /// What is damaged is looked for where nobody has anything, so that it is never mended.
    static Network asksForNothingToMendWith(Network network) {
        return new RewritingNetwork(
                network,
                new RewritingNetwork.Rewriting() {
                    @Override
                    public ApiRequest asked(ApiRequest request) {
                        return request instanceof FetchRequest fetch
                                        && fetch.replicaState().replicaId() < 0
                                ? changed(fetch, FollowerMistakes::farAway)
                                : request;
                    }
                });
    }

    private static FetchPartition farAway(FetchPartition partition) {
        return FetchPartition.builder()
                .partition(partition.partition())
                .currentLeaderEpoch(partition.currentLeaderEpoch())
                .fetchOffset(FAR_AWAY)
                .partitionMaxBytes(partition.partitionMaxBytes())
                .build();
    }

    /// Whoever is said to be the controller and denies it passes for one that has only lost the store, so that nobody can have been replaced.
    static Network takesEveryDenialForAnOutage(Network network) {
        return new RewritingNetwork(
                network,
                new RewritingNetwork.Rewriting() {
                    @Override
                    public ApiResponse answered(ApiRequest request, ApiResponse response) {
                        return response instanceof BrokerHeartbeatResponse answer
                                        && answer.errorCode() == ErrorCode.NOT_CONTROLLER.id()
                                ? BrokerHeartbeatResponse.builder()
                                        .errorCode(answer.errorCode())
                                        .isCaughtUp(answer.isCaughtUp())
                                        .isFenced(false)
                                        .build()
                                : response;
                    }
                });
    }

    /// A replica that has lost files is cut and copied anew without the controller's knowledge: it takes for granted what it should have asked for.
    static Network concealsThatItHasLostRecords(Network network) {
        return new RewritingNetwork(
                network,
                new RewritingNetwork.Rewriting() {
                    @Override
                    public ApiRequest asked(ApiRequest request) {
                        return request instanceof AlterPartitionRequest alter
                                ? withoutResignations(alter)
                                : request;
                    }

                    @Override
                    public ApiResponse answered(ApiRequest request, ApiResponse response) {
                        return request instanceof AlterPartitionRequest alter
                                        && response instanceof AlterPartitionResponse answer
                                ? resignationsGranted(alter, answer)
                                : response;
                    }
                });
    }

    private static AlterPartitionRequest withoutResignations(AlterPartitionRequest request) {
        List<AlterPartitionRequest.TopicData> topics = new ArrayList<>();
        for (AlterPartitionRequest.TopicData topic : request.topics()) {
            List<AlterPartitionRequest.PartitionData> partitions = new ArrayList<>();
            for (AlterPartitionRequest.PartitionData data : topic.partitions()) {
                boolean resigns =
                        data.newIsrWithEpochs().stream()
                                .noneMatch(member -> member.brokerId() == request.brokerId());
                partitions.add(resigns ? inVain(data) : data);
            }
            topics.add(new AlterPartitionRequest.TopicData(topic.topicId(), partitions));
        }
        return new AlterPartitionRequest(request.brokerId(), request.brokerEpoch(), topics);
    }

    private static AlterPartitionRequest.PartitionData inVain(
            AlterPartitionRequest.PartitionData data) {
        return AlterPartitionRequest.PartitionData.builder()
                .partitionIndex(data.partitionIndex())
                .leaderEpoch(data.leaderEpoch())
                .newIsrWithEpochs(data.newIsrWithEpochs())
                .partitionEpoch(NEVER)
                .build();
    }

    private static AlterPartitionResponse resignationsGranted(
            AlterPartitionRequest request, AlterPartitionResponse response) {
        List<AlterPartitionResponse.TopicData> topics = new ArrayList<>();
        for (AlterPartitionResponse.TopicData topic : response.topics()) {
            List<AlterPartitionResponse.PartitionData> partitions = new ArrayList<>();
            for (AlterPartitionResponse.PartitionData data : topic.partitions()) {
                AlterPartitionRequest.PartitionData asked =
                        find(request, topic.topicId(), data.partitionIndex());
                partitions.add(asked.partitionEpoch() == NEVER ? granted(asked) : data);
            }
            topics.add(new AlterPartitionResponse.TopicData(topic.topicId(), partitions));
        }
        return AlterPartitionResponse.builder()
                .errorCode(response.errorCode())
                .topics(topics)
                .build();
    }

    private static AlterPartitionRequest.PartitionData find(
            AlterPartitionRequest request, UUID topic, int index) {
        for (AlterPartitionRequest.TopicData one : request.topics()) {
            for (AlterPartitionRequest.PartitionData data : one.partitions()) {
                if (one.topicId().equals(topic) && data.partitionIndex() == index) {
                    return data;
                }
            }
        }
        throw new IllegalArgumentException("not asked for: " + topic + " " + index);
    }

    private static AlterPartitionResponse.PartitionData granted(
            AlterPartitionRequest.PartitionData asked) {
        return AlterPartitionResponse.PartitionData.builder()
                .partitionIndex(asked.partitionIndex())
                .leaderEpoch(asked.leaderEpoch())
                .isr(asked.newIsrWithEpochs().stream().map(member -> member.brokerId()).toList())
                .build();
    }

    private static Network onFetch(Network network, UnaryOperator<FetchPartition> change) {
        return new RewritingNetwork(
                network,
                new RewritingNetwork.Rewriting() {
                    @Override
                    public ApiRequest asked(ApiRequest request) {
                        return request instanceof FetchRequest fetch
                                ? changed(fetch, change)
                                : request;
                    }
                });
    }

    private static FetchRequest changed(FetchRequest fetch, UnaryOperator<FetchPartition> change) {
        List<FetchTopic> topics = new ArrayList<>();
        for (FetchTopic topic : fetch.topics()) {
            topics.add(
                    new FetchTopic(
                            topic.topic(),
                            topic.topicId(),
                            topic.partitions().stream().map(change).toList()));
        }
        return RewrittenFetch.of(fetch, fetch.replicaState(), topics);
    }
}
