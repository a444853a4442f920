package io.sluice.kafka.api.groups;

import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.OffsetDeleteRequest;
import io.sluice.kafka.wire.message.OffsetDeleteRequest.OffsetDeleteRequestPartition;
import io.sluice.kafka.wire.message.OffsetDeleteRequest.OffsetDeleteRequestTopic;
import io.sluice.kafka.wire.message.OffsetDeleteResponse;
import io.sluice.kafka.wire.message.OffsetDeleteResponse.OffsetDeleteResponsePartition;
import io.sluice.kafka.wire.message.OffsetDeleteResponse.OffsetDeleteResponseTopic;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// OffsetDelete: a group forgets where it was, in topics that it no longer reads.
public final class OffsetDeleteHandler implements Handler<OffsetDeleteRequest> {
    private final GroupCoordinators coordinators;

    public OffsetDeleteHandler(GroupCoordinators coordinators) {
        this.coordinators = coordinators;
    }

    @Override
    public Reply<OffsetDeleteResponse> handle(OffsetDeleteRequest request, RequestContext context) {
        List<PartitionId> partitions = new ArrayList<>();
        for (OffsetDeleteRequestTopic topic : request.topics()) {
            for (OffsetDeleteRequestPartition partition : topic.partitions()) {
                partitions.add(new PartitionId(topic.name(), partition.partitionIndex()));
            }
        }
        return coordinators
                .submit(
                        request.groupId(),
                        new GroupCommand.DeleteOffsets(request.groupId(), partitions),
                        context.home())
                .map(
                        outcome ->
                                outcome.fold(
                                        OffsetDeleteHandler::respond,
                                        cause -> failed(GroupErrors.codeOf(cause))));
    }

    private static OffsetDeleteResponse respond(GroupReply.ToDeleteOffsets reply) {
        return switch (reply) {
            case GroupReply.Rejected(var why) -> failed(GroupErrors.codeOf(why));
            case GroupReply.OffsetsDeleted(List<GroupReply.PartitionResult> results) -> {
                Map<String, List<OffsetDeleteResponsePartition>> byTopic = new LinkedHashMap<>();
                for (GroupReply.PartitionResult result : results) {
                    byTopic.computeIfAbsent(result.partition().topic(), _ -> new ArrayList<>())
                            .add(
                                    new OffsetDeleteResponsePartition(
                                            result.partition().index(),
                                            GroupErrors.codeOf(result.why()).id()));
                }
                List<OffsetDeleteResponseTopic> topics = new ArrayList<>();
                byTopic.forEach(
                        (name, partitions) ->
                                topics.add(new OffsetDeleteResponseTopic(name, partitions)));
                yield OffsetDeleteResponse.builder().topics(topics).build();
            }
        };
    }

    private static OffsetDeleteResponse failed(ErrorCode code) {
        return OffsetDeleteResponse.builder().errorCode(code.id()).build();
    }
}
