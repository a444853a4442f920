package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicNames;
import io.sluice.controller.TopicOutcome;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.Repeated;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.ToController;
import io.sluice.kafka.api.groups.ClusterOffsetsTopic;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.CreateTopicsRequest;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableReplicaAssignment;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableTopic;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableTopicConfig;
import io.sluice.kafka.wire.message.CreateTopicsResponse;
import io.sluice.kafka.wire.message.CreateTopicsResponse.CreatableTopicConfigs;
import io.sluice.kafka.wire.message.CreateTopicsResponse.CreatableTopicResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// CreateTopics: one answer for each topic; one that cannot be created does not hinder the others.
public final class CreateTopicsHandler implements Handler<CreateTopicsRequest> {
    private final Controller controller;
    private final TopicConfigView configs;
    private final int offsetsPartitions;

    /// @param offsetsPartitions of the offsets topic, for which another broker may ask
    public CreateTopicsHandler(
            Controller controller, TopicConfigView configs, int offsetsPartitions) {
        this.controller = controller;
        this.configs = configs;
        this.offsetsPartitions = offsetsPartitions;
    }

    @Override
    public Reply<CreateTopicsResponse> handle(CreateTopicsRequest request, RequestContext context) {
        Set<String> repeated =
                Repeated.among(request.topics().stream().map(CreatableTopic::name).toList());
        List<Reply<CreatableTopicResult>> results = new ArrayList<>();
        for (CreatableTopic topic : request.topics()) {
            if (!repeated.contains(topic.name())) {
                results.add(create(topic, request.validateOnly(), context));
            }
        }
        for (String name : repeated) {
            results.add(
                    Reply.of(
                            refused(
                                    name,
                                    ErrorCode.INVALID_REQUEST,
                                    "The request names this topic twice.")));
        }
        return Reply.all(results).map(all -> CreateTopicsResponse.builder().topics(all).build());
    }

    private Reply<CreatableTopicResult> create(
            CreatableTopic topic, boolean validateOnly, RequestContext context) {
        if (topic.name().equals(TopicNames.OFFSETS) && ToController.passedOn(context)) {
            // Made as this broker would make it, whatever the request says.
            return controller
                    .execute(
                            ClusterOffsetsTopic.plan(offsetsPartitions, controller.view()),
                            validateOnly,
                            context.home())
                    .map(outcome -> resultOf(topic.name(), outcome));
        }
        if (TopicNames.isInternal(topic.name())) {
            return Reply.of(
                    refused(
                            topic.name(),
                            ErrorCode.INVALID_REQUEST,
                            "'"
                                    + topic.name()
                                    + "' belongs to the broker, which creates it when needed."));
        }
        Map<String, String> settings = new HashMap<>();
        for (CreatableTopicConfig config : topic.configs()) {
            String value = config.value();
            if (value == null) {
                return Reply.of(
                        refused(
                                topic.name(),
                                ErrorCode.INVALID_CONFIG,
                                "Setting '" + config.name() + "' has no value."));
            }
            settings.put(config.name(), value);
        }
        TreeMap<Integer, List<Integer>> assignment = new TreeMap<>();
        for (CreatableReplicaAssignment one : topic.assignments()) {
            assignment.put(one.partitionIndex(), one.brokerIds());
        }
        String flaw = assignmentFlaw(topic, assignment);
        if (!flaw.isEmpty()) {
            return Reply.of(refused(topic.name(), ErrorCode.INVALID_REPLICA_ASSIGNMENT, flaw));
        }
        TopicCommand command =
                new TopicCommand.Create(
                        topic.name(),
                        topic.numPartitions(),
                        topic.replicationFactor(),
                        List.copyOf(assignment.values()),
                        settings);
        return controller
                .execute(command, validateOnly, context.home())
                .map(outcome -> resultOf(topic.name(), outcome));
    }

    private static String assignmentFlaw(
            CreatableTopic topic, SortedMap<Integer, List<Integer>> assignment) {
        if (assignment.isEmpty()) {
            return "";
        }
        if (topic.numPartitions() != -1 || topic.replicationFactor() != -1) {
            return "Give either an assignment, or a number of partitions and a replication factor.";
        }
        boolean dense =
                assignment.size() == topic.assignments().size()
                        && assignment.firstKey() == 0
                        && assignment.lastKey() == assignment.size() - 1;
        return dense ? "" : "The assignment must name the partitions 0, 1, 2, … once each.";
    }

    private CreatableTopicResult resultOf(String name, TopicOutcome outcome) {
        return switch (outcome) {
            case TopicOutcome.Refused(var reason, String sentence) ->
                    refused(name, TopicErrors.codeOf(reason), sentence);
            case TopicOutcome.Done(TopicPlan plan) ->
                    CreatableTopicResult.builder()
                            .name(name)
                            .topicId(plan.id())
                            .numPartitions(plan.partitions().size())
                            .replicationFactor(
                                    (short) plan.partitions().getFirst().replicas().size())
                            .errorMessage(null)
                            .configs(configsOf(plan))
                            .build();
        };
    }

    private List<CreatableTopicConfigs> configsOf(TopicPlan plan) {
        List<CreatableTopicConfigs> all = new ArrayList<>();
        for (TopicConfigView.Entry entry : configs.entries(plan)) {
            all.add(
                    CreatableTopicConfigs.builder()
                            .name(entry.name())
                            .value(entry.value())
                            .configSource(entry.source().id())
                            .build());
        }
        return all;
    }

    private static CreatableTopicResult refused(String name, ErrorCode code, String sentence) {
        return CreatableTopicResult.builder()
                .name(name)
                .errorCode(code.id())
                .errorMessage(sentence)
                .build();
    }
}
