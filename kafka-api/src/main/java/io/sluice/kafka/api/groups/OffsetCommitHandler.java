package io.sluice.kafka.api.groups;

import io.sluice.controller.ClusterView;
import io.sluice.controller.TopicPlan;
import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.OffsetCommitRequest;
import io.sluice.kafka.wire.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import io.sluice.kafka.wire.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import io.sluice.kafka.wire.message.OffsetCommitResponse;
import io.sluice.kafka.wire.message.OffsetCommitResponse.OffsetCommitResponsePartition;
import io.sluice.kafka.wire.message.OffsetCommitResponse.OffsetCommitResponseTopic;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// OffsetCommit: how far a group has come; acknowledged when it is durable (Q20).
public final class OffsetCommitHandler implements Handler<OffsetCommitRequest> {
    private static final short BY_TOPIC_ID = 10;
    private static final short KNOWS_OF_MISSING_GROUPS = 9;

    private final GroupCoordinators coordinators;
    private final Supplier<ClusterView> cluster;

    public OffsetCommitHandler(GroupCoordinators coordinators, Supplier<ClusterView> cluster) {
        this.coordinators = coordinators;
        this.cluster = cluster;
    }

    @Override
    public Reply<OffsetCommitResponse> handle(OffsetCommitRequest request, RequestContext context) {
        ClusterView view = cluster.get();
        boolean byId = context.version() >= BY_TOPIC_ID;
        List<GroupCommand.OffsetToCommit> offsets = new ArrayList<>();
        for (OffsetCommitRequestTopic topic : request.topics()) {
            String name = TopicIds.nameOf(topic.name(), topic.topicId(), byId, view);
            TopicPlan plan = name == null ? null : view.findTopic(name);
            for (OffsetCommitRequestPartition partition : topic.partitions()) {
                int index = partition.partitionIndex();
                if (plan != null && index >= 0 && index < plan.partitions().size()) {
                    offsets.add(offsetOf(plan, partition));
                }
            }
        }
        GroupCommand.CommitOffsets command =
                new GroupCommand.CommitOffsets(
                        request.groupId(),
                        new GroupCommand.MemberRef(
                                request.memberId(),
                                request.groupInstanceId(),
                                request.generationIdOrMemberEpoch()),
                        offsets,
                        request.retentionTimeMs());
        return coordinators
                .submit(request.groupId(), command, context.home())
                .map(outcome -> respond(request, context, view, outcome));
    }

    /// With the topic's id also where the client has named it: one of the same name may come, and the deletion of this one be heard of only then.
    private static GroupCommand.OffsetToCommit offsetOf(
            TopicPlan plan, OffsetCommitRequestPartition partition) {
        String metadata = partition.committedMetadata();
        return new GroupCommand.OffsetToCommit(
                new PartitionId(plan.name(), partition.partitionIndex()),
                partition.committedOffset(),
                partition.committedLeaderEpoch(),
                metadata == null ? "" : metadata,
                plan.id());
    }

    private static OffsetCommitResponse respond(
            OffsetCommitRequest request,
            RequestContext context,
            ClusterView view,
            Outcome<GroupReply.ToCommit> outcome) {
        boolean byId = context.version() >= BY_TOPIC_ID;
        Map<PartitionId, ErrorCode> results = new HashMap<>();
        ErrorCode failure = outcome.fold(reply -> collect(reply, results), GroupErrors::codeOf);
        ErrorCode forAll =
                failure == ErrorCode.GROUP_ID_NOT_FOUND
                                && context.version() < KNOWS_OF_MISSING_GROUPS
                        ? ErrorCode.ILLEGAL_GENERATION
                        : failure;
        List<OffsetCommitResponseTopic> topics = new ArrayList<>();
        for (OffsetCommitRequestTopic topic : request.topics()) {
            String name = TopicIds.nameOf(topic.name(), topic.topicId(), byId, view);
            ErrorCode unknown =
                    name == null
                            ? ErrorCode.UNKNOWN_TOPIC_ID
                            : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
            List<OffsetCommitResponsePartition> partitions = new ArrayList<>();
            for (OffsetCommitRequestPartition partition : topic.partitions()) {
                PartitionId id =
                        new PartitionId(name == null ? "" : name, partition.partitionIndex());
                ErrorCode code =
                        forAll == ErrorCode.NONE ? results.getOrDefault(id, unknown) : forAll;
                partitions.add(
                        new OffsetCommitResponsePartition(partition.partitionIndex(), code.id()));
            }
            topics.add(new OffsetCommitResponseTopic(topic.name(), topic.topicId(), partitions));
        }
        return OffsetCommitResponse.builder().topics(topics).build();
    }

    /// The error of the whole commit, or none and the single results.
    private static ErrorCode collect(
            GroupReply.ToCommit reply, Map<PartitionId, ErrorCode> results) {
        return switch (reply) {
            case GroupReply.Rejected(var why) -> GroupErrors.codeOf(why);
            case GroupReply.Committed(List<GroupReply.PartitionResult> partitions) -> {
                for (GroupReply.PartitionResult result : partitions) {
                    results.put(result.partition(), GroupErrors.codeOf(result.why()));
                }
                yield ErrorCode.NONE;
            }
        };
    }
}
