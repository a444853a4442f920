package io.sluice.kafka.api.groups;

import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.coordinator.groups.Rejection;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.DescribeGroupsRequest;
import io.sluice.kafka.wire.message.DescribeGroupsResponse;
import io.sluice.kafka.wire.message.DescribeGroupsResponse.DescribedGroup;
import io.sluice.kafka.wire.message.DescribeGroupsResponse.DescribedGroupMember;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/// DescribeGroups: the state of groups and what each member has.
public final class DescribeGroupsHandler implements Handler<DescribeGroupsRequest> {
    private static final short TELLS_NOT_FOUND = 6;

    private final GroupCoordinators coordinators;

    public DescribeGroupsHandler(GroupCoordinators coordinators) {
        this.coordinators = coordinators;
    }

    @Override
    public Reply<DescribeGroupsResponse> handle(
            DescribeGroupsRequest request, RequestContext context) {
        List<Reply<DescribedGroup>> groups = new ArrayList<>();
        for (String group : new LinkedHashSet<>(request.groups())) {
            groups.add(
                    coordinators
                            .submit(group, new GroupCommand.Describe(group), context.home())
                            .map(
                                    outcome ->
                                            outcome.fold(
                                                    reply ->
                                                            describe(
                                                                    group,
                                                                    reply,
                                                                    context.version()),
                                                    cause ->
                                                            failed(
                                                                    group,
                                                                    GroupErrors.codeOf(cause)))));
        }
        return Reply.all(groups).map(all -> DescribeGroupsResponse.builder().groups(all).build());
    }

    private static DescribedGroup describe(
            String group, GroupReply.ToDescribe reply, short version) {
        return switch (reply) {
            case GroupReply.Rejected(Rejection why) -> {
                if (why != Rejection.GROUP_NOT_FOUND) {
                    yield failed(group, GroupErrors.codeOf(why));
                }
                DescribedGroup.Builder dead =
                        DescribedGroup.builder().groupId(group).groupState("Dead");
                if (version >= TELLS_NOT_FOUND) {
                    dead.errorCode(ErrorCode.GROUP_ID_NOT_FOUND.id())
                            .errorMessage("There is no group '" + group + "'.");
                }
                yield dead.build();
            }
            case GroupReply.Description description ->
                    DescribedGroup.builder()
                            .groupId(group)
                            .groupState(description.phase().label())
                            .protocolType(description.protocolType())
                            .protocolData(description.protocol())
                            .members(
                                    description.members().stream()
                                            .map(DescribeGroupsHandler::describe)
                                            .toList())
                            .build();
        };
    }

    private static DescribedGroupMember describe(GroupReply.DescribedMember member) {
        return new DescribedGroupMember(
                member.memberId(),
                member.instanceId(),
                member.client().id(),
                member.client().host(),
                member.metadata().buffer(),
                member.assignment().buffer());
    }

    private static DescribedGroup failed(String group, ErrorCode code) {
        return DescribedGroup.builder().groupId(group).errorCode(code.id()).build();
    }
}
