package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicOutcome;
import io.sluice.env.Reply;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import org.jspecify.annotations.Nullable;

/// The common part of the two ways to change settings: which resources can be changed at all, and how it ended.
final class ConfigChange {
    /// In Apache Kafka's words.
    static final String REPEATED = "Each resource must appear at most once.";

    private final Controller controller;

    ConfigChange(Controller controller) {
        this.controller = controller;
    }

    /// Whose settings are to change.
    record Subject(byte type, String name) {}

    /// @param sentence null when it went well
    record Result(ErrorCode code, @Nullable String sentence) {
        static Result refused(ErrorCode code, String sentence) {
            return new Result(code, sentence);
        }
    }

    /// Null when the resource is a topic; otherwise why it cannot be changed.
    static @Nullable Result refusal(byte resourceType) {
        ConfigResource kind = ConfigResource.find(resourceType);
        if (kind == null) {
            return Result.refused(
                    ErrorCode.INVALID_REQUEST, "Unknown resource type " + resourceType + ".");
        }
        return switch (kind) {
            case TOPIC -> null;
            case BROKER ->
                    Result.refused(
                            ErrorCode.INVALID_CONFIG,
                            "A broker's settings are set in its configuration file, environment or flags, and need a restart.");
            case BROKER_LOGGER, CLIENT_METRICS, GROUP ->
                    Result.refused(
                            ErrorCode.INVALID_CONFIG,
                            "Settings of this kind of resource cannot be changed.");
        };
    }

    Reply<Result> execute(TopicCommand command, boolean validateOnly, RequestContext context) {
        return controller
                .execute(command, validateOnly, context.home())
                .map(
                        outcome ->
                                switch (outcome) {
                                    case TopicOutcome.Done _ -> new Result(ErrorCode.NONE, null);
                                    case TopicOutcome.Refused(var reason, String sentence) ->
                                            Result.refused(TopicErrors.codeOf(reason), sentence);
                                });
    }
}
