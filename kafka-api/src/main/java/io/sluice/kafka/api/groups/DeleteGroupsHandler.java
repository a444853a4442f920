package io.sluice.kafka.api.groups;

import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.DeleteGroupsRequest;
import io.sluice.kafka.wire.message.DeleteGroupsResponse;
import io.sluice.kafka.wire.message.DeleteGroupsResponse.DeletableGroupResult;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/// DeleteGroups: empty groups and their offsets go.
public final class DeleteGroupsHandler implements Handler<DeleteGroupsRequest> {
    private final GroupCoordinators coordinators;

    public DeleteGroupsHandler(GroupCoordinators coordinators) {
        this.coordinators = coordinators;
    }

    @Override
    public Reply<DeleteGroupsResponse> handle(DeleteGroupsRequest request, RequestContext context) {
        List<Reply<DeletableGroupResult>> results = new ArrayList<>();
        for (String group : new LinkedHashSet<>(request.groupsNames())) {
            results.add(
                    coordinators
                            .submit(group, new GroupCommand.DeleteGroup(group), context.home())
                            .map(
                                    outcome ->
                                            outcome.fold(
                                                    DeleteGroupsHandler::codeOf,
                                                    GroupErrors::codeOf))
                            .map(
                                    code ->
                                            new DeletableGroupResult(
                                                    group,
                                                    code.id(),
                                                    code == ErrorCode.NONE
                                                            ? null
                                                            : code.sentence())));
        }
        return Reply.all(results).map(all -> DeleteGroupsResponse.builder().results(all).build());
    }

    private static ErrorCode codeOf(GroupReply.ToDeleteGroup reply) {
        return switch (reply) {
            case GroupReply.GroupDeleted() -> ErrorCode.NONE;
            case GroupReply.Rejected(var why) -> GroupErrors.codeOf(why);
        };
    }
}
