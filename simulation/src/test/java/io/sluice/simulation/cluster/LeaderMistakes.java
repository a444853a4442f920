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
import io.sluice.kafka.wire.message.OffsetCommitResponse;
import io.sluice.kafka.wire.message.OffsetCommitResponse.OffsetCommitResponsePartition;
import io.sluice.kafka.wire.message.OffsetCommitResponse.OffsetCommitResponseTopic;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.node.Node;
import io.sluice.partition.Partition;
import io.sluice.partition.ReplicaFetch;
import io.sluice.partition.ReplicaReadOutcome;
import java.util.ArrayList;
import java.util.List;

/// Mistakes of history at those who lead, partitions or groups: put between correct brokers and their doors. The ids are those of the catalogue of such bugs.
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

    /// R8, KAFKA-20634 and its kind: a group's coordinator says yes to a commit that its log did not keep.
    static Handlers confirmsWhatWasNotKept(Handlers handlers) {
        return (request, context) -> {
            Reply<? extends ApiResponse> reply = handlers.handle(request, context);
            return reply.map(
                    response ->
                            response instanceof OffsetCommitResponse commit
                                    ? allIsWell(commit)
                                    : response);
        };
    }

    private static OffsetCommitResponse allIsWell(OffsetCommitResponse response) {
        List<OffsetCommitResponseTopic> topics = new ArrayList<>();
        for (OffsetCommitResponseTopic topic : response.topics()) {
            List<OffsetCommitResponsePartition> partitions = new ArrayList<>();
            for (OffsetCommitResponsePartition partition : topic.partitions()) {
                partitions.add(
                        new OffsetCommitResponsePartition(partition.partitionIndex(), (short) 0));
            }
            topics.add(new OffsetCommitResponseTopic(topic.name(), topic.topicId(), partitions));
        }
        return new OffsetCommitResponse(response.throttleTimeMs(), topics);
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
