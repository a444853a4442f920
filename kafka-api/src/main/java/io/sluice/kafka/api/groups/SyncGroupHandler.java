package io.sluice.kafka.api.groups;

import io.sluice.coordinator.Unavailability;
import io.sluice.coordinator.groups.Blob;
import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.SyncGroupRequest;
import io.sluice.kafka.wire.message.SyncGroupRequest.SyncGroupRequestAssignment;
import io.sluice.kafka.wire.message.SyncGroupResponse;
import java.util.ArrayList;
import java.util.List;

/// SyncGroup: the leader brings the plan, everybody gets their part of it.
public final class SyncGroupHandler implements Handler<SyncGroupRequest> {
    private static final short NAMES_PROTOCOL = 5;

    private final GroupCoordinators coordinators;

    public SyncGroupHandler(GroupCoordinators coordinators) {
        this.coordinators = coordinators;
    }

    @Override
    public Reply<SyncGroupResponse> handle(SyncGroupRequest request, RequestContext context) {
        boolean lacksProtocol = request.protocolType() == null || request.protocolName() == null;
        if (context.version() >= NAMES_PROTOCOL && lacksProtocol) {
            return Reply.of(failed(ErrorCode.INCONSISTENT_GROUP_PROTOCOL));
        }
        List<GroupCommand.Assignment> assignments = new ArrayList<>();
        for (SyncGroupRequestAssignment assignment : request.assignments()) {
            assignments.add(
                    new GroupCommand.Assignment(
                            assignment.memberId(), Blob.copyOf(assignment.assignment())));
        }
        GroupCommand.Sync command =
                new GroupCommand.Sync(
                        request.groupId(),
                        new GroupCommand.MemberRef(
                                request.memberId(),
                                request.groupInstanceId(),
                                request.generationId()),
                        request.protocolType(),
                        request.protocolName(),
                        assignments);
        return coordinators
                .submit(request.groupId(), command, context.home())
                .map(
                        outcome ->
                                outcome.fold(
                                        SyncGroupHandler::respond, cause -> failed(codeOf(cause))));
    }

    /// Clients take loading for a fatal error here. The round they speak of is over after it, so they may as well join again.
    private static ErrorCode codeOf(Unavailability cause) {
        return cause == Unavailability.LOADING
                ? ErrorCode.REBALANCE_IN_PROGRESS
                : GroupErrors.codeOf(cause);
    }

    private static SyncGroupResponse respond(GroupReply.ToSync reply) {
        return switch (reply) {
            case GroupReply.Rejected(var why) -> failed(GroupErrors.codeOf(why));
            case GroupReply.Synced(String protocolType, String protocol, Blob assignment) ->
                    SyncGroupResponse.builder()
                            .protocolType(protocolType)
                            .protocolName(protocol)
                            .assignment(assignment.buffer())
                            .build();
        };
    }

    private static SyncGroupResponse failed(ErrorCode code) {
        return SyncGroupResponse.builder().errorCode(code.id()).build();
    }
}
