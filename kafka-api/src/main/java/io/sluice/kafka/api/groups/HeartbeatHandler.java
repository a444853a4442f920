package io.sluice.kafka.api.groups;

import io.sluice.coordinator.Unavailability;
import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.HeartbeatRequest;
import io.sluice.kafka.wire.message.HeartbeatResponse;

/// Heartbeat: the member lives, and learns whether it has to join again (Q19).
public final class HeartbeatHandler implements Handler<HeartbeatRequest> {
    private final GroupCoordinators coordinators;

    public HeartbeatHandler(GroupCoordinators coordinators) {
        this.coordinators = coordinators;
    }

    @Override
    public Reply<HeartbeatResponse> handle(HeartbeatRequest request, RequestContext context) {
        GroupCommand.Heartbeat command =
                new GroupCommand.Heartbeat(
                        request.groupId(),
                        new GroupCommand.MemberRef(
                                request.memberId(),
                                request.groupInstanceId(),
                                request.generationId()));
        return coordinators
                .submit(request.groupId(), command, context.home())
                .map(outcome -> outcome.fold(HeartbeatHandler::codeOf, HeartbeatHandler::codeOf))
                .map(code -> HeartbeatResponse.builder().errorCode(code.id()).build());
    }

    /// Clients take loading for a fatal error here. Sessions begin anew after it, so that this heartbeat is not missed.
    private static ErrorCode codeOf(Unavailability cause) {
        return cause == Unavailability.LOADING ? ErrorCode.NONE : GroupErrors.codeOf(cause);
    }

    private static ErrorCode codeOf(GroupReply.ToHeartbeat reply) {
        return switch (reply) {
            case GroupReply.Alive() -> ErrorCode.NONE;
            case GroupReply.Rejected(var why) -> GroupErrors.codeOf(why);
        };
    }
}
