package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicOutcome;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Repeated;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The common part of the two ways to change settings: which resources can be changed at all, and how it ended.
final class ConfigChange {
    /// In Apache Kafka's words.
    private static final String REPEATED = "Each resource must appear at most once.";

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

    /// How it ended for one of those that a request named.
    record Answer(Subject subject, Result result) {}

    /// Makes an entry of a response. Both ways have the same fields in it, in types of their own.
    interface Entry<T> {
        T of(short errorCode, @Nullable String sentence, byte type, String name);
    }

    static <T> List<T> entries(List<Answer> answers, Entry<T> entry) {
        return answers.stream()
                .map(
                        answer ->
                                entry.of(
                                        answer.result().code().id(),
                                        answer.result().sentence(),
                                        answer.subject().type(),
                                        answer.subject().name()))
                .toList();
    }

    /// Alters each resource of a request and has one answer for each. Those that are named more than once are refused: which of their settings was meant is not to be known.
    static <R> Reply<List<Answer>> each(
            List<R> resources, Function<R, Subject> subjectOf, Function<R, Reply<Result>> alter) {
        Set<Subject> repeated = Repeated.among(resources.stream().map(subjectOf).toList());
        List<Reply<Answer>> answers = new ArrayList<>();
        for (Subject subject : repeated) {
            answers.add(
                    Reply.of(
                            new Answer(
                                    subject, Result.refused(ErrorCode.INVALID_REQUEST, REPEATED))));
        }
        for (R resource : resources) {
            Subject subject = subjectOf.apply(resource);
            if (!repeated.contains(subject)) {
                answers.add(alter.apply(resource).map(result -> new Answer(subject, result)));
            }
        }
        return Reply.all(answers);
    }

    /// The same answer for each, when nobody could be asked.
    static <R> List<Answer> unreached(
            List<R> resources, Function<R, Subject> subjectOf, String sentence) {
        Result unknown = Result.refused(ErrorCode.REQUEST_TIMED_OUT, sentence);
        return resources.stream()
                .map(subjectOf)
                .distinct()
                .map(subject -> new Answer(subject, unknown))
                .toList();
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
