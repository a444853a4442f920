package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicOutcome;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.api.ToController;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.CreateTopicsRequest;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableTopic;
import io.sluice.kafka.wire.message.CreateTopicsRequest.CreatableTopicConfig;
import io.sluice.kafka.wire.message.CreateTopicsResponse;
import java.util.List;
import java.util.TreeMap;

/// Creates the topics that nobody asked for by name of a request: on first use, wherever the controller is. Thread-safe.
public final class TopicCreation {
    private static final short VERSION = 7;
    private static final int TIMEOUT_MILLIS = 10_000;

    private final Controller controller;
    private final ToController elsewhere;

    public TopicCreation(Controller controller, ToController elsewhere) {
        this.controller = controller;
        this.elsewhere = elsewhere;
    }

    /// How it went. What another broker has created may be seen here a moment later.
    public enum Result {
        CREATED,
        EXISTS,
        REFUSED
    }

    /// Completes at home, and never fails.
    public Reply<Result> create(TopicCommand.Create command, Mailbox home) {
        if (controller.isActive()) {
            return controller.execute(command, false, home).map(TopicCreation::meaning);
        }
        Reply<Result> result = new Reply<>();
        elsewhere
                .ask(request(command), VERSION, home)
                .then(
                        answer -> result.complete(meaning((CreateTopicsResponse) answer)),
                        _ -> result.complete(Result.REFUSED));
        return result;
    }

    private static Result meaning(TopicOutcome outcome) {
        return switch (outcome) {
            case TopicOutcome.Done _ -> Result.CREATED;
            case TopicOutcome.Refused(var reason, _) ->
                    reason == TopicOutcome.Reason.ALREADY_EXISTS ? Result.EXISTS : Result.REFUSED;
        };
    }

    private static Result meaning(CreateTopicsResponse response) {
        short code = response.topics().isEmpty() ? -1 : response.topics().getFirst().errorCode();
        if (code == ErrorCode.NONE.id()) {
            return Result.CREATED;
        }
        return code == ErrorCode.TOPIC_ALREADY_EXISTS.id() ? Result.EXISTS : Result.REFUSED;
    }

    private static CreateTopicsRequest request(TopicCommand.Create command) {
        List<CreatableTopicConfig> configs =
                new TreeMap<>(command.settings())
                        .entrySet().stream()
                                .map(
                                        entry ->
                                                new CreatableTopicConfig(
                                                        entry.getKey(), entry.getValue()))
                                .toList();
        return CreateTopicsRequest.builder()
                .timeoutMs(TIMEOUT_MILLIS)
                .topics(
                        List.of(
                                CreatableTopic.builder()
                                        .name(command.topic())
                                        .numPartitions(command.partitions())
                                        .replicationFactor((short) command.replicationFactor())
                                        .configs(configs)
                                        .build()))
                .build();
    }
}
