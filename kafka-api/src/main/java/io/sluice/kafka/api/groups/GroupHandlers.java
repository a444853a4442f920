package io.sluice.kafka.api.groups;

import io.sluice.env.Reply;
import io.sluice.kafka.api.Handlers;
import io.sluice.kafka.api.KafkaHandlers;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.message.ConsumerGroupDescribeRequest;
import io.sluice.kafka.wire.message.DeleteGroupsRequest;
import io.sluice.kafka.wire.message.DescribeGroupsRequest;
import io.sluice.kafka.wire.message.FindCoordinatorRequest;
import io.sluice.kafka.wire.message.HeartbeatRequest;
import io.sluice.kafka.wire.message.JoinGroupRequest;
import io.sluice.kafka.wire.message.LeaveGroupRequest;
import io.sluice.kafka.wire.message.ListGroupsRequest;
import io.sluice.kafka.wire.message.OffsetCommitRequest;
import io.sluice.kafka.wire.message.OffsetDeleteRequest;
import io.sluice.kafka.wire.message.OffsetFetchRequest;
import io.sluice.kafka.wire.message.SyncGroupRequest;

/// The handlers about groups. Immutable; wired once, in the broker's start.
public record GroupHandlers(
        FindCoordinatorHandler findCoordinator,
        JoinGroupHandler joinGroup,
        SyncGroupHandler syncGroup,
        HeartbeatHandler heartbeat,
        LeaveGroupHandler leaveGroup,
        OffsetCommitHandler offsetCommit,
        OffsetFetchHandler offsetFetch,
        OffsetDeleteHandler offsetDelete,
        DescribeGroupsHandler describeGroups,
        ListGroupsHandler listGroups,
        DeleteGroupsHandler deleteGroups,
        ConsumerGroupDescribeHandler consumerGroupDescribe)
        implements Handlers {

    @Override
    public Reply<? extends ApiResponse> handle(ApiRequest request, RequestContext context) {
        return switch (request) {
            case FindCoordinatorRequest asked -> findCoordinator.handle(asked, context);
            case JoinGroupRequest asked -> joinGroup.handle(asked, context);
            case SyncGroupRequest asked -> syncGroup.handle(asked, context);
            case HeartbeatRequest asked -> heartbeat.handle(asked, context);
            case LeaveGroupRequest asked -> leaveGroup.handle(asked, context);
            case OffsetCommitRequest asked -> offsetCommit.handle(asked, context);
            case OffsetFetchRequest asked -> offsetFetch.handle(asked, context);
            case OffsetDeleteRequest asked -> offsetDelete.handle(asked, context);
            case DescribeGroupsRequest asked -> describeGroups.handle(asked, context);
            case ListGroupsRequest asked -> listGroups.handle(asked, context);
            case DeleteGroupsRequest asked -> deleteGroups.handle(asked, context);
            case ConsumerGroupDescribeRequest asked -> consumerGroupDescribe.handle(asked, context);
            default -> throw KafkaHandlers.nobodyHandles(request);
        };
    }
}
