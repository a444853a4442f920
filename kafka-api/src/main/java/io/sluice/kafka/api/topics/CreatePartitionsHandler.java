package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicOutcome;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.Repeated;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.CreatePartitionsRequest;
import io.sluice.kafka.wire.message.CreatePartitionsRequest.CreatePartitionsAssignment;
import io.sluice.kafka.wire.message.CreatePartitionsRequest.CreatePartitionsTopic;
import io.sluice.kafka.wire.message.CreatePartitionsResponse;
import io.sluice.kafka.wire.message.CreatePartitionsResponse.CreatePartitionsTopicResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// CreatePartitions: more partitions while clients run (Q29).
public final class CreatePartitionsHandler implements Handler<CreatePartitionsRequest> {
    private final Controller controller;

    public CreatePartitionsHandler(Controller controller) {
        this.controller = controller;
    }

    @Override
    public Reply<CreatePartitionsResponse> handle(
            CreatePartitionsRequest request, RequestContext context) {
        Set<String> repeated =
                Repeated.among(request.topics().stream().map(CreatePartitionsTopic::name).toList());
        List<Reply<CreatePartitionsTopicResult>> results = new ArrayList<>();
        for (String name : repeated) {
            results.add(
                    Reply.of(
                            new CreatePartitionsTopicResult(
                                    name,
                                    ErrorCode.INVALID_REQUEST.id(),
                                    "The request names this topic twice.")));
        }
        for (CreatePartitionsTopic topic : request.topics()) {
            if (repeated.contains(topic.name())) {
                continue;
            }
            TopicCommand grow =
                    new TopicCommand.Grow(topic.name(), topic.count(), assignmentOf(topic));
            results.add(
                    controller
                            .execute(grow, request.validateOnly(), context.home())
                            .map(outcome -> resultOf(topic.name(), outcome)));
        }
        return Reply.all(results)
                .map(all -> CreatePartitionsResponse.builder().results(all).build());
    }

    private static List<List<Integer>> assignmentOf(CreatePartitionsTopic topic) {
        List<List<Integer>> assignment = new ArrayList<>();
        if (topic.assignments() != null) {
            for (CreatePartitionsAssignment one : topic.assignments()) {
                assignment.add(one.brokerIds());
            }
        }
        return assignment;
    }

    private static CreatePartitionsTopicResult resultOf(String name, TopicOutcome outcome) {
        return switch (outcome) {
            case TopicOutcome.Done _ ->
                    new CreatePartitionsTopicResult(name, ErrorCode.NONE.id(), null);
            case TopicOutcome.Refused(var reason, String sentence) ->
                    new CreatePartitionsTopicResult(
                            name, TopicErrors.codeOf(reason).id(), sentence);
        };
    }
}
