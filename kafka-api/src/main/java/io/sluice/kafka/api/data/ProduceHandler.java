package io.sluice.kafka.api.data;

import io.sluice.controller.BrokerView;
import io.sluice.controller.Controller;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicNames;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.kafka.wire.message.ProduceRequest.PartitionProduceData;
import io.sluice.kafka.wire.message.ProduceRequest.TopicProduceData;
import io.sluice.kafka.wire.message.ProduceResponse;
import io.sluice.kafka.wire.message.ProduceResponse.LeaderIdAndEpoch;
import io.sluice.kafka.wire.message.ProduceResponse.NodeEndpoint;
import io.sluice.kafka.wire.message.ProduceResponse.PartitionProduceResponse;
import io.sluice.kafka.wire.message.ProduceResponse.TopicProduceResponse;
import io.sluice.log.AppendResult;
import io.sluice.partition.Acks;
import io.sluice.partition.AppendOutcome;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.record.PartitionId;
import io.sluice.record.Records;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Produce: hands each partition's batches to its owner, and answers when all are as safe as `acks` asks.
///
/// The order of a connection's requests is fixed when they are handed over; the acknowledgements may come later.
public final class ProduceHandler implements Handler<ProduceRequest> {
    /// Since this version topics are named by their ids.
    private static final short BY_TOPIC_ID = 13;

    /// Since this version a client that came to the wrong broker is told the right one (KIP-951).
    private static final short WITH_CURRENT_LEADER = 10;

    private final PartitionDirectory partitions;
    private final Controller controller;
    private final int self;

    /// @param self the id of this broker
    public ProduceHandler(PartitionDirectory partitions, Controller controller, int self) {
        this.partitions = partitions;
        this.controller = controller;
        this.self = self;
    }

    @Override
    public Reply<ProduceResponse> handle(ProduceRequest request, RequestContext context) {
        Acks acks = acksOf(request.acks());
        List<Reply<PartitionProduceResponse>> settled = new ArrayList<>();
        for (TopicProduceData topic : request.topicData()) {
            String name = nameOf(topic, context);
            for (PartitionProduceData data : topic.partitionData()) {
                Partition partition =
                        name == null ? null : find(topic, name, data.index(), context);
                settled.add(append(name, partition, data, acks, request.timeoutMs(), context));
            }
        }
        if (settled.size() == 1) {
            return settled.getFirst().map(only -> assemble(request, List.of(only), context));
        }
        return Reply.all(settled).map(all -> assemble(request, all, context));
    }

    private Reply<PartitionProduceResponse> append(
            @Nullable String topic,
            @Nullable Partition partition,
            PartitionProduceData data,
            @Nullable Acks acks,
            int timeoutMillis,
            RequestContext context) {
        int index = data.index();
        if (acks == null) {
            return refuse(index, ErrorCode.INVALID_REQUIRED_ACKS, "acks must be 0, 1 or all (-1)");
        }
        if (topic == null) {
            return refuse(index, ErrorCode.UNKNOWN_TOPIC_ID, "there is no topic with this id");
        }
        if (TopicNames.isInternal(topic)) {
            return refuse(
                    index,
                    ErrorCode.INVALID_TOPIC_EXCEPTION,
                    topic + " belongs to the broker, which alone writes to it");
        }
        if (partition == null) {
            return elsewhere(new PartitionId(topic, index));
        }
        if (!(data.records() instanceof Records.InMemory(var batches)) || !batches.hasRemaining()) {
            return refuse(
                    index,
                    ErrorCode.INVALID_RECORD,
                    "the request carries no records for " + partition.id());
        }
        return partition
                .append(batches, acks, timeoutMillis, context.home())
                .map(outcome -> responseOf(index, outcome));
    }

    /// Null when it is not here. What is here may belong to another topic of this name, of which the plan says nothing any more, or nothing yet.
    private @Nullable Partition find(
            TopicProduceData topic, String name, int index, RequestContext context) {
        Partition found = partitions.find(new PartitionId(name, index));
        boolean isAnothers =
                found != null
                        && context.version() >= BY_TOPIC_ID
                        && !found.topicId().equals(topic.topicId());
        return isAnothers ? null : found;
    }

    /// A partition that other brokers have, or that nobody has.
    private Reply<PartitionProduceResponse> elsewhere(PartitionId id) {
        return controller.view().findPartition(id) == null
                ? refuse(
                        id.index(),
                        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                        "there is no partition " + id)
                : refuse(id.index(), ErrorCode.NOT_LEADER_OR_FOLLOWER, id + " is on other brokers");
    }

    private PartitionProduceResponse responseOf(int index, AppendOutcome outcome) {
        return switch (outcome) {
            case AppendOutcome.Acknowledged(long base, long time, long start) ->
                    PartitionProduceResponse.builder()
                            .index(index)
                            .baseOffset(base)
                            .logAppendTimeMs(time)
                            .logStartOffset(start)
                            .build();
            case AppendOutcome.Rejected(var reason, String _)
                    when isFromMemory(reason) && !controller.standing().isCertain() ->
                    refused(
                            index,
                            ErrorCode.NOT_LEADER_OR_FOLLOWER,
                            "this broker was out of touch, and another one may lead by now");
            case AppendOutcome.Rejected(var reason, String sentence) ->
                    refused(index, DataErrors.codeOf(reason), sentence);
            case AppendOutcome.Failed(var why, String sentence) ->
                    refused(index, DataErrors.codeOf(why), sentence);
        };
    }

    /// What a leader that was replaced unawares would say of batches that its successor has: an idempotent producer would give up.
    private static boolean isFromMemory(AppendResult.Reason reason) {
        return switch (reason) {
            case OUT_OF_ORDER_SEQUENCE,
                    DUPLICATE_SEQUENCE,
                    STALE_PRODUCER_EPOCH,
                    UNKNOWN_PRODUCER_ID ->
                    true;
            case CORRUPT_MESSAGE,
                    MESSAGE_TOO_LARGE,
                    INVALID_TIMESTAMP,
                    INVALID_RECORD,
                    UNSUPPORTED_FORMAT,
                    UNSUPPORTED_COMPRESSION,
                    OFFSETS_DO_NOT_CONTINUE,
                    DISK_FULL,
                    OFFLINE ->
                    false;
        };
    }

    /// The partitions' answers, grouped by topic as the request was.
    private ProduceResponse assemble(
            ProduceRequest request,
            List<PartitionProduceResponse> settled,
            RequestContext context) {
        LeaderHints hints = new LeaderHints(controller.view(), self);
        List<TopicProduceResponse> topics = new ArrayList<>(request.topicData().size());
        int next = 0;
        for (TopicProduceData topic : request.topicData()) {
            int count = topic.partitionData().size();
            List<PartitionProduceResponse> answers = settled.subList(next, next + count);
            topics.add(
                    new TopicProduceResponse(
                            topic.name(),
                            topic.topicId(),
                            context.version() < WITH_CURRENT_LEADER
                                    ? answers
                                    : withHints(answers, nameOf(topic, context), hints)));
            next += count;
        }
        return ProduceResponse.builder().responses(topics).nodeEndpoints(endpoints(hints)).build();
    }

    private static List<PartitionProduceResponse> withHints(
            List<PartitionProduceResponse> answers, @Nullable String topic, LeaderHints hints) {
        if (topic == null || answers.stream().allMatch(one -> one.errorCode() == 0)) {
            return answers;
        }
        List<PartitionProduceResponse> hinted = new ArrayList<>(answers.size());
        for (PartitionProduceResponse one : answers) {
            ErrorCode error = ErrorCode.find(one.errorCode());
            PartitionPlan plan =
                    error == null ? null : hints.leaderAfter(error, topic, one.index());
            hinted.add(
                    plan == null
                            ? one
                            : PartitionProduceResponse.builder()
                                    .index(one.index())
                                    .errorCode(one.errorCode())
                                    .baseOffset(one.baseOffset())
                                    .errorMessage(one.errorMessage())
                                    .currentLeader(
                                            new LeaderIdAndEpoch(plan.leader(), plan.leaderEpoch()))
                                    .build());
        }
        return hinted;
    }

    private static List<NodeEndpoint> endpoints(LeaderHints hints) {
        List<NodeEndpoint> endpoints = new ArrayList<>();
        for (BrokerView broker : hints.named()) {
            endpoints.add(
                    new NodeEndpoint(broker.id(), broker.host(), broker.port(), broker.rack()));
        }
        return endpoints;
    }

    private @Nullable String nameOf(TopicProduceData topic, RequestContext context) {
        if (context.version() < BY_TOPIC_ID) {
            return topic.name();
        }
        TopicPlan plan = controller.view().findTopic(topic.topicId());
        return plan == null ? null : plan.name();
    }

    private static @Nullable Acks acksOf(short acks) {
        return switch (acks) {
            case 0 -> Acks.NONE;
            case 1 -> Acks.LEADER;
            case -1 -> Acks.ALL;
            default -> null;
        };
    }

    private static Reply<PartitionProduceResponse> refuse(
            int index, ErrorCode code, String sentence) {
        return Reply.of(refused(index, code, sentence));
    }

    private static PartitionProduceResponse refused(int index, ErrorCode code, String sentence) {
        return PartitionProduceResponse.builder()
                .index(index)
                .errorCode(code.id())
                .baseOffset(-1)
                .errorMessage(sentence)
                .build();
    }
}
