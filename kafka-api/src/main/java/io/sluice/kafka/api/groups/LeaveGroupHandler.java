package io.sluice.kafka.api.groups;

import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.LeaveGroupRequest;
import io.sluice.kafka.wire.message.LeaveGroupRequest.MemberIdentity;
import io.sluice.kafka.wire.message.LeaveGroupResponse;
import io.sluice.kafka.wire.message.LeaveGroupResponse.MemberResponse;
import java.util.ArrayList;
import java.util.List;

/// LeaveGroup: members go, or an operator removes static ones.
public final class LeaveGroupHandler implements Handler<LeaveGroupRequest> {
    private static final short SEVERAL_MEMBERS = 3;

    private final GroupCoordinators coordinators;

    public LeaveGroupHandler(GroupCoordinators coordinators) {
        this.coordinators = coordinators;
    }

    @Override
    public Reply<LeaveGroupResponse> handle(LeaveGroupRequest request, RequestContext context) {
        List<GroupCommand.Leaver> leavers = new ArrayList<>();
        if (context.version() < SEVERAL_MEMBERS) {
            leavers.add(new GroupCommand.Leaver(request.memberId(), null, null));
        }
        for (MemberIdentity member : request.members()) {
            leavers.add(
                    new GroupCommand.Leaver(
                            member.memberId(), member.groupInstanceId(), member.reason()));
        }
        return coordinators
                .submit(
                        request.groupId(),
                        new GroupCommand.Leave(request.groupId(), leavers),
                        context.home())
                .map(
                        outcome ->
                                outcome.fold(
                                        reply -> respond(reply, context.version()),
                                        cause -> failed(GroupErrors.codeOf(cause))));
    }

    private static LeaveGroupResponse respond(GroupReply.ToLeave reply, short version) {
        return switch (reply) {
            case GroupReply.Rejected(var why) -> failed(GroupErrors.codeOf(why));
            case GroupReply.Left(List<GroupReply.LeftMember> members) -> {
                if (version < SEVERAL_MEMBERS) {
                    yield failed(GroupErrors.codeOf(members.getFirst().why()));
                }
                List<MemberResponse> responses = new ArrayList<>();
                for (GroupReply.LeftMember member : members) {
                    responses.add(
                            new MemberResponse(
                                    member.memberId(),
                                    member.instanceId(),
                                    GroupErrors.codeOf(member.why()).id()));
                }
                yield LeaveGroupResponse.builder().members(responses).build();
            }
        };
    }

    private static LeaveGroupResponse failed(ErrorCode code) {
        return LeaveGroupResponse.builder().errorCode(code.id()).build();
    }
}
