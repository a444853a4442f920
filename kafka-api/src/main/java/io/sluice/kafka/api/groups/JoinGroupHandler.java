package io.sluice.kafka.api.groups;

import io.sluice.coordinator.groups.Blob;
import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.env.Entropy;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.JoinGroupRequest;
import io.sluice.kafka.wire.message.JoinGroupRequest.JoinGroupRequestProtocol;
import io.sluice.kafka.wire.message.JoinGroupResponse;
import io.sluice.kafka.wire.message.JoinGroupResponse.JoinGroupResponseMember;
import java.util.ArrayList;
import java.util.List;

/// JoinGroup: a member comes into the next generation; answered when the round of joining is over (Q19).
public final class JoinGroupHandler implements Handler<JoinGroupRequest> {
    private static final short TAKES_MEMBER_ID_FIRST = 4;
    private static final short SKIPS_ASSIGNMENT = 9;

    private final GroupCoordinators coordinators;
    private final Entropy entropy;

    public JoinGroupHandler(GroupCoordinators coordinators, Entropy entropy) {
        this.coordinators = coordinators;
        this.entropy = entropy;
    }

    @Override
    public Reply<JoinGroupResponse> handle(JoinGroupRequest request, RequestContext context) {
        return coordinators
                .submit(request.groupId(), commandOf(request, context), context.home())
                .map(
                        outcome ->
                                outcome.fold(
                                        reply -> respond(request, reply),
                                        cause ->
                                                failed(
                                                        request.memberId(),
                                                        GroupErrors.codeOf(cause))));
    }

    private GroupCommand.Join commandOf(JoinGroupRequest request, RequestContext context) {
        List<GroupCommand.Protocol> protocols = new ArrayList<>();
        for (JoinGroupRequestProtocol protocol : request.protocols()) {
            protocols.add(
                    new GroupCommand.Protocol(protocol.name(), Blob.copyOf(protocol.metadata())));
        }
        // Version 0 knows one time-out for both.
        int rebalance =
                request.rebalanceTimeoutMs() < 0
                        ? request.sessionTimeoutMs()
                        : request.rebalanceTimeoutMs();
        return new GroupCommand.Join(
                request.groupId(),
                request.memberId(),
                request.groupInstanceId(),
                new GroupCommand.Client(context.clientId(), "/" + context.clientAddress()),
                new GroupCommand.Timeouts(request.sessionTimeoutMs(), rebalance),
                request.protocolType(),
                protocols,
                new GroupCommand.Dialect(
                        context.version() >= TAKES_MEMBER_ID_FIRST,
                        context.version() >= SKIPS_ASSIGNMENT),
                entropy.nextUuid(),
                request.reason());
    }

    private static JoinGroupResponse respond(JoinGroupRequest request, GroupReply.ToJoin reply) {
        return switch (reply) {
            case GroupReply.Rejected(var why) ->
                    failed(request.memberId(), GroupErrors.codeOf(why));
            case GroupReply.MemberIdRequired(String memberId) ->
                    failed(memberId, ErrorCode.MEMBER_ID_REQUIRED);
            case GroupReply.Joined joined ->
                    JoinGroupResponse.builder()
                            .generationId(joined.generation())
                            .protocolType(joined.protocolType())
                            .protocolName(joined.protocol())
                            .leader(joined.leader())
                            .memberId(joined.memberId())
                            .skipAssignment(joined.skipAssignment())
                            .members(membersOf(joined))
                            .build();
        };
    }

    private static List<JoinGroupResponseMember> membersOf(GroupReply.Joined joined) {
        List<JoinGroupResponseMember> members = new ArrayList<>();
        for (GroupReply.JoinedMember member : joined.members()) {
            members.add(
                    new JoinGroupResponseMember(
                            member.memberId(), member.instanceId(), member.metadata().buffer()));
        }
        return members;
    }

    private static JoinGroupResponse failed(String memberId, ErrorCode code) {
        return JoinGroupResponse.builder()
                .errorCode(code.id())
                .memberId(memberId)
                .protocolName("")
                .build();
    }
}
