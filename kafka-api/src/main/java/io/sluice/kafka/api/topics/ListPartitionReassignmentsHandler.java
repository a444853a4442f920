package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.Move;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.ListPartitionReassignmentsRequest;
import io.sluice.kafka.wire.message.ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics;
import io.sluice.kafka.wire.message.ListPartitionReassignmentsResponse;
import io.sluice.kafka.wire.message.ListPartitionReassignmentsResponse.OngoingPartitionReassignment;
import io.sluice.kafka.wire.message.ListPartitionReassignmentsResponse.OngoingTopicReassignment;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// ListPartitionReassignments: which replicas are on the move, or wait to be (KIP-455).
public final class ListPartitionReassignmentsHandler
        implements Handler<ListPartitionReassignmentsRequest> {
    private final Controller controller;

    public ListPartitionReassignmentsHandler(Controller controller) {
        this.controller = controller;
    }

    @Override
    public Reply<ListPartitionReassignmentsResponse> handle(
            ListPartitionReassignmentsRequest request, RequestContext context) {
        if (!controller.isActive()) {
            return Reply.of(
                    ListPartitionReassignmentsResponse.builder()
                            .errorCode(ErrorCode.NOT_CONTROLLER.id())
                            .errorMessage("This broker is not the controller.")
                            .build());
        }
        Map<String, List<OngoingPartitionReassignment>> byTopic = new TreeMap<>();
        List<ListPartitionReassignmentsTopics> asked = request.topics();
        Set<PartitionId> wanted = asked == null ? Set.of() : wanted(asked);
        for (Move move : controller.view().moves()) {
            if (asked == null || wanted.contains(move.partition())) {
                byTopic.computeIfAbsent(move.partition().topic(), _ -> new ArrayList<>())
                        .add(
                                new OngoingPartitionReassignment(
                                        move.partition().index(),
                                        move.replicas(),
                                        move.adding(),
                                        move.removing()));
            }
        }
        List<OngoingTopicReassignment> topics = new ArrayList<>(byTopic.size());
        byTopic.forEach(
                (name, partitions) -> topics.add(new OngoingTopicReassignment(name, partitions)));
        return Reply.of(
                ListPartitionReassignmentsResponse.builder()
                        .errorMessage(null)
                        .topics(topics)
                        .build());
    }

    private static Set<PartitionId> wanted(List<ListPartitionReassignmentsTopics> asked) {
        Set<PartitionId> wanted = new HashSet<>();
        for (ListPartitionReassignmentsTopics topic : asked) {
            topic.partitionIndexes()
                    .forEach(index -> wanted.add(new PartitionId(topic.name(), index)));
        }
        return wanted;
    }
}
