package io.sluice.simulation.cluster;

import io.sluice.controller.Registration;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handlers;
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
import io.sluice.kafka.wire.message.OffsetCommitResponse;
import io.sluice.kafka.wire.message.OffsetCommitResponse.OffsetCommitResponsePartition;
import io.sluice.kafka.wire.message.OffsetCommitResponse.OffsetCommitResponseTopic;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.node.Node;
import io.sluice.partition.Partition;
import io.sluice.partition.ReplicaFetch;
import io.sluice.partition.ReplicaReadOutcome;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Mistakes of history, put between correct brokers and their doors. The ids are those of the catalogue of such bugs.
final class Mistakes {
    private Mistakes() {}

    // At the followers.

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
                Partition partition = find(node, topic.topicId(), data.partitionIndex());
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

    private static @Nullable Partition find(Node node, UUID topic, int index) {
        TopicPlan plan = node.controller().view().findTopic(topic);
        return plan == null ? null : node.partitions().find(new PartitionId(plan.name(), index));
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
        return with(fetch, fetch.replicaState(), topics);
    }

    // At the leaders.

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
                Partition partition = find(node, topic.topicId(), data.partitionIndex());
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
        return with(fetch, new FetchRequest.ReplicaState(replica, present), fetch.topics());
    }

    private static FetchRequest with(
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
                Partition partition = find(node, topic.topicId(), asked.partition());
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
                        .whenDone(Mistakes::release);
            }
        }
    }

    private static void release(Reply<ReplicaReadOutcome> read) {
        if (!read.isFailed() && read.value() instanceof ReplicaReadOutcome.Found found) {
            found.records().release();
        }
    }

    // What brokers say of themselves.

    /// R5, KIP-903, KAFKA-14139: a broker with an empty disk passes for the one that it was.
    static Registration concealsAnEmptyDisk(Registration own) {
        return new Registration(
                own.id(),
                own.host(),
                own.port(),
                own.rack(),
                own.incarnation(),
                new UUID(0, own.id()),
                own.clusterId(),
                own.cleanEpoch(),
                own.boot());
    }

    /// R6, KIP-966: a broker that came back from a power loss passes for one that was stopped in order.
    static Registration concealsACrash(Registration own, long lastEpoch) {
        return new Registration(
                own.id(),
                own.host(),
                own.port(),
                own.rack(),
                own.incarnation(),
                own.directory(),
                own.clusterId(),
                lastEpoch,
                own.boot());
    }

    /// R6 in another way: a machine that was without power passes for one that has run on.
    static Registration concealsAPowerLoss(Registration own) {
        return new Registration(
                own.id(),
                own.host(),
                own.port(),
                own.rack(),
                own.incarnation(),
                own.directory(),
                own.clusterId(),
                own.cleanEpoch(),
                new UUID(0, own.id()));
    }

    // At the metadata store.

    /// Z3, KAFKA-6082: a controller that has lost its office unawares goes on to write.
    static ForgetfulStore writesWithoutEpochCheck(Coordination store) {
        return new ForgetfulStore(
                store,
                changes ->
                        changes.stream()
                                .filter(
                                        change ->
                                                !(change instanceof Change.Check check
                                                        && check.path().equals("/epoch")))
                                .toList(),
                outcome -> outcome,
                _ -> true);
    }

    /// Z1, KAFKA-2729: what is known of the plans is never refreshed while the connection holds.
    static ForgetfulStore missesNewsOfPlans(Coordination store) {
        return new ForgetfulStore(
                store,
                changes -> changes,
                outcome -> outcome,
                path -> !path.startsWith("/topics/"));
    }

    /// Z2, KAFKA-1387, 4229 and their kind: a broker whose session has ended does not notice, and never registers again.
    static Coordination ignoresTheEndOfItsSession(Coordination store, SimBroker broker) {
        return new DeafToItsEnd(store, "/brokers/" + broker.id());
    }

    /// A commit of which nobody knows whether it was made counts as made.
    static ForgetfulStore takesUnknownForCommitted(Coordination store) {
        return new ForgetfulStore(
                store,
                changes -> changes,
                outcome -> outcome instanceof Outcome.Unknown ? new Outcome.Committed() : outcome,
                _ -> true);
    }
}
