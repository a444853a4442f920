package io.sluice.simulation.cluster;

import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handlers;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.AlterPartitionRequest;
import io.sluice.kafka.wire.message.AlterPartitionResponse;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.node.Node;
import io.sluice.partition.Partition;
import io.sluice.partition.ReplicaFetch;
import io.sluice.partition.ReplicaReadOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// Mistakes of history at those who lead: put between correct brokers and their doors. The ids are those of the catalogue of such bugs.
final class LeaderMistakes {
    private LeaderMistakes() {}

    /// R4, KAFKA-7128 and its kind: a leader takes every live replica for in sync, however far it is.
    static Network expandsTooEarly(Network network, SimBroker broker) {
        return new RewritingNetwork(
                network,
                new RewritingNetwork.Rewriting() {
                    @Override
                    public ApiRequest asked(ApiRequest request) {
                        Node node = broker.node();
                        return node != null && request instanceof AlterPartitionRequest alter
                                ? withEveryone(node, alter)
                                : request;
                    }
                });
    }

    private static AlterPartitionRequest withEveryone(Node node, AlterPartitionRequest request) {
        List<AlterPartitionRequest.TopicData> topics = new ArrayList<>();
        for (AlterPartitionRequest.TopicData topic : request.topics()) {
            List<AlterPartitionRequest.PartitionData> partitions = new ArrayList<>();
            for (AlterPartitionRequest.PartitionData data : topic.partitions()) {
                Partition partition =
                        RewrittenFetch.partition(node, topic.topicId(), data.partitionIndex());
                partitions.add(partition == null ? data : withEveryone(node, partition, data));
            }
            topics.add(new AlterPartitionRequest.TopicData(topic.topicId(), partitions));
        }
        return new AlterPartitionRequest(request.brokerId(), request.brokerEpoch(), topics);
    }

    private static AlterPartitionRequest.PartitionData withEveryone(
            Node node, Partition partition, AlterPartitionRequest.PartitionData data) {
        List<AlterPartitionRequest.BrokerState> members = new ArrayList<>();
        for (int replica : partition.assignment().replicas()) {
            if (node.controller().view().isLive(replica)) {
                members.add(
                        new AlterPartitionRequest.BrokerState(
                                replica, node.controller().view().brokerEpoch(replica)));
            }
        }
        return new AlterPartitionRequest.PartitionData(
                data.partitionIndex(),
                data.leaderEpoch(),
                List.of(),
                members,
                data.leaderRecoveryState(),
                data.partitionEpoch());
    }

    /// A leader takes it for a refusal that the controller has lost its office or its store, though the commit was under way.
    static Network takesUnknownForRefused(Network network) {
        return new RewritingNetwork(
                network,
                new RewritingNetwork.Rewriting() {
                    @Override
                    public ApiResponse answered(ApiRequest request, ApiResponse response) {
                        return request instanceof AlterPartitionRequest alter
                                        && response instanceof AlterPartitionResponse answer
                                        && answer.errorCode() == ErrorCode.NOT_CONTROLLER.id()
                                ? allRefused(alter)
                                : response;
                    }
                });
    }

    private static AlterPartitionResponse allRefused(AlterPartitionRequest request) {
        List<AlterPartitionResponse.TopicData> topics = new ArrayList<>();
        for (AlterPartitionRequest.TopicData topic : request.topics()) {
            List<AlterPartitionResponse.PartitionData> partitions = new ArrayList<>();
            for (AlterPartitionRequest.PartitionData data : topic.partitions()) {
                partitions.add(
                        AlterPartitionResponse.PartitionData.builder()
                                .partitionIndex(data.partitionIndex())
                                .errorCode(ErrorCode.INELIGIBLE_REPLICA.id())
                                .build());
            }
            topics.add(new AlterPartitionResponse.TopicData(topic.topicId(), partitions));
        }
        return AlterPartitionResponse.builder().topics(topics).build();
    }

    /// R7, KAFKA-13091: the in-sync set has shrunk, and the watermark goes on to wait for whoever was taken out.
    static Network waitsForThoseItHasTakenOut(Network network, SimBroker broker) {
        return new RewritingNetwork(
                network,
                new RewritingNetwork.Rewriting() {
                    @Override
                    public ApiResponse answered(ApiRequest request, ApiResponse response) {
                        Node node = broker.node();
                        return node != null && response instanceof AlterPartitionResponse answer
                                ? withThoseBefore(node, answer)
                                : response;
                    }
                });
    }

    private static AlterPartitionResponse withThoseBefore(
            Node node, AlterPartitionResponse response) {
        List<AlterPartitionResponse.TopicData> topics = new ArrayList<>();
        for (AlterPartitionResponse.TopicData topic : response.topics()) {
            List<AlterPartitionResponse.PartitionData> partitions = new ArrayList<>();
            for (AlterPartitionResponse.PartitionData data : topic.partitions()) {
                Partition partition =
                        RewrittenFetch.partition(node, topic.topicId(), data.partitionIndex());
                partitions.add(
                        partition == null || data.errorCode() != 0
                                ? data
                                : withThoseBefore(partition, data));
            }
            topics.add(new AlterPartitionResponse.TopicData(topic.topicId(), partitions));
        }
        return AlterPartitionResponse.builder()
                .errorCode(response.errorCode())
                .topics(topics)
                .build();
    }

    private static AlterPartitionResponse.PartitionData withThoseBefore(
            Partition partition, AlterPartitionResponse.PartitionData data) {
        SortedSet<Integer> members = new TreeSet<>(data.isr());
        members.addAll(partition.assignment().inSync());
        return AlterPartitionResponse.PartitionData.builder()
                .partitionIndex(data.partitionIndex())
                .leaderId(data.leaderId())
                .leaderEpoch(data.leaderEpoch())
                .isr(List.copyOf(members))
                .partitionEpoch(data.partitionEpoch())
                .build();
    }

    /// `acks=all` is answered when the leader alone has it.
    static Handlers acksTooEarly(Handlers handlers) {
        return (request, context) ->
                handlers.handle(
                        request instanceof ProduceRequest produce && produce.acks() == -1
                                ? new ProduceRequest(
                                        produce.transactionalId(),
                                        (short) 1,
                                        produce.timeoutMs(),
                                        produce.topicData())
                                : request,
                        context);
    }

    /// R3, KIP-903: a leader counts what a follower has fetched in an earlier life, before it lost what it had.
    static Handlers countsFormerLives(Handlers handlers, Node node) {
        return (request, context) ->
                handlers.handle(
                        request instanceof FetchRequest fetch
                                        && fetch.replicaState().replicaId() >= 0
                                ? ofItsPresentLife(fetch, node)
                                : request,
                        context);
    }

    private static FetchRequest ofItsPresentLife(FetchRequest fetch, Node node) {
        int replica = fetch.replicaState().replicaId();
        long present = node.controller().view().brokerEpoch(replica);
        return RewrittenFetch.of(
                fetch, new FetchRequest.ReplicaState(replica, present), fetch.topics());
    }

    /// R3, KIP-320: a leader takes followers of other leader epochs for its own, and what they have for a part of its log. Either alone loses nothing: such a fetch is fenced, and compared with the leader's history.
    static Handlers takesFollowersOfOtherTerms(Handlers handlers, Node node) {
        return (request, context) ->
                handlers.handle(
                        request instanceof FetchRequest fetch
                                        && fetch.replicaState().replicaId() >= 0
                                ? ofThePresentTerm(fetch, node)
                                : request,
                        context);
    }

    private static FetchRequest ofThePresentTerm(FetchRequest fetch, Node node) {
        List<FetchTopic> topics = new ArrayList<>();
        for (FetchTopic topic : fetch.topics()) {
            List<FetchPartition> partitions = new ArrayList<>();
            for (FetchPartition asked : topic.partitions()) {
                Partition partition =
                        RewrittenFetch.partition(node, topic.topicId(), asked.partition());
                partitions.add(
                        partition == null || partition.leaderEpoch() == asked.currentLeaderEpoch()
                                ? asked
                                : ofTerm(partition.leaderEpoch(), asked));
            }
            topics.add(new FetchTopic(topic.topic(), topic.topicId(), partitions));
        }
        return RewrittenFetch.alone(fetch, topics);
    }

    private static FetchPartition ofTerm(int leaderEpoch, FetchPartition asked) {
        return new FetchPartition(
                asked.partition(),
                leaderEpoch,
                asked.fetchOffset(),
                -1,
                asked.logStartOffset(),
                asked.partitionMaxBytes(),
                asked.replicaDirectoryId(),
                asked.highWatermark());
    }

    /// What a client has read counts as what the replicas have: one that lags seems to have caught up.
    static Handlers takesReadersForReplicas(Handlers handlers, Node node) {
        return (request, context) -> {
            if (request instanceof FetchRequest fetch && fetch.replicaState().replicaId() < 0) {
                noteAsProgress(fetch, node, context.home());
            }
            return handlers.handle(request, context);
        };
    }

    private static void noteAsProgress(FetchRequest fetch, Node node, Mailbox home) {
        for (FetchTopic topic : fetch.topics()) {
            for (FetchPartition asked : topic.partitions()) {
                Partition partition =
                        RewrittenFetch.partition(node, topic.topicId(), asked.partition());
                if (partition != null && partition.isLeaderHere()) {
                    noteAsProgress(asked.fetchOffset(), partition, node, home);
                }
            }
        }
    }

    private static void noteAsProgress(long offset, Partition partition, Node node, Mailbox home) {
        for (int replica : partition.assignment().replicas()) {
            if (replica != partition.assignment().self()) {
                long epoch = node.controller().view().brokerEpoch(replica);
                partition
                        .readAsReplica(
                                new ReplicaFetch(
                                        replica,
                                        epoch,
                                        partition.leaderEpoch(),
                                        offset,
                                        -1,
                                        0,
                                        false),
                                home)
                        .whenDone(LeaderMistakes::release);
            }
        }
    }

    private static void release(Reply<ReplicaReadOutcome> read) {
        if (!read.isFailed() && read.value() instanceof ReplicaReadOutcome.Found found) {
            found.records().release();
        }
    }
}
