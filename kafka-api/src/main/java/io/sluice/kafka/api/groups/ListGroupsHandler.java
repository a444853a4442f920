package io.sluice.kafka.api.groups;

import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.message.ListGroupsRequest;
import io.sluice.kafka.wire.message.ListGroupsResponse;
import io.sluice.kafka.wire.message.ListGroupsResponse.ListedGroup;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// ListGroups: all groups of this broker, by state and type on request.
public final class ListGroupsHandler implements Handler<ListGroupsRequest> {
    /// As Kafka calls groups whose members make the plan among themselves.
    private static final String CLASSIC = "Classic";

    private final GroupCoordinators coordinators;

    public ListGroupsHandler(GroupCoordinators coordinators) {
        this.coordinators = coordinators;
    }

    @Override
    public Reply<ListGroupsResponse> handle(ListGroupsRequest request, RequestContext context) {
        Set<String> types = lowerCase(request.typesFilter());
        if (!types.isEmpty() && !types.contains(CLASSIC.toLowerCase(Locale.ROOT))) {
            return Reply.of(ListGroupsResponse.builder().build());
        }
        return coordinators
                .submitToAll(
                        new GroupCommand.ListGroups(lowerCase(request.statesFilter())),
                        context.home())
                .map(ListGroupsHandler::gather);
    }

    private static ListGroupsResponse gather(List<Outcome<GroupReply.Listing>> outcomes) {
        List<ListedGroup> groups = new ArrayList<>();
        ListGroupsResponse.Builder response = ListGroupsResponse.builder();
        for (Outcome<GroupReply.Listing> outcome : outcomes) {
            switch (outcome) {
                case Outcome.Done(GroupReply.Listing listing) -> {
                    for (GroupReply.ListedGroup group : listing.groups()) {
                        groups.add(
                                new ListedGroup(
                                        group.group(),
                                        group.protocolType(),
                                        group.phase().label(),
                                        CLASSIC));
                    }
                }
                case Outcome.Unavailable(var cause) ->
                        response.errorCode(GroupErrors.codeOf(cause).id());
            }
        }
        return response.groups(groups).build();
    }

    private static Set<String> lowerCase(List<String> words) {
        Set<String> lower = new HashSet<>();
        for (String word : words) {
            lower.add(word.toLowerCase(Locale.ROOT));
        }
        return lower;
    }
}
