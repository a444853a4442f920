package io.sluice.cli;

import io.sluice.client.DeliveryUnsupportedException;
import io.sluice.client.PresetConflictException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/// Turns whatever went wrong into a sentence and an exit code, in one place.
///
/// Stateless.
final class Failures {
    private Failures() {}

    static Failure of(Throwable thrown, String bootstrap) {
        return switch (thrown) {
            case Failure failure -> failure;
            case ExecutionException wrapper when wrapper.getCause() != null ->
                    of(wrapper.getCause(), bootstrap);
            case PresetConflictException conflict ->
                    new Failure(ExitCode.USAGE, message(conflict), conflict);
            case DeliveryUnsupportedException unsupported ->
                    new Failure(ExitCode.FAILED, message(unsupported), unsupported);
            case ConfigException config ->
                    new Failure(
                            ExitCode.USAGE,
                            "A client setting is wrong: " + sentence(config),
                            config);
            case AuthenticationException authentication ->
                    new Failure(
                            ExitCode.UNAUTHORISED,
                            "The broker at %s does not accept the credentials: %s Give them with --command-config."
                                    .formatted(bootstrap, sentence(authentication)),
                            authentication);
            case AuthorizationException authorization ->
                    new Failure(
                            ExitCode.UNAUTHORISED,
                            "The broker at %s does not allow it: %s"
                                    .formatted(bootstrap, sentence(authorization)),
                            authorization);
            case TimeoutException timeout -> timeout(timeout, bootstrap);
            case UnknownTopicOrPartitionException unknown ->
                    new Failure(
                            ExitCode.NOT_FOUND,
                            "There is no such topic or partition. 'sluice topic list' shows what there is.",
                            unknown);
            case GroupIdNotFoundException unknown ->
                    new Failure(
                            ExitCode.NOT_FOUND,
                            "There is no such group. 'sluice group list' shows what there is.",
                            unknown);
            case RecordTooLargeException tooLarge ->
                    new Failure(
                            ExitCode.FAILED,
                            sentence(tooLarge)
                                    + " The topic allows what its max.message.bytes says ('sluice topic alter TOPIC --set max.message.bytes=N'), this command what max.request.size says ('-X max.request.size=N').",
                            tooLarge);
            case UnsupportedVersionException unsupported ->
                    new Failure(
                            ExitCode.FAILED,
                            "The broker at %s cannot do this: %s 'sluice cluster info --apis' shows what it can."
                                    .formatted(bootstrap, sentence(unsupported)),
                            unsupported);
            case ApiException refused ->
                    new Failure(
                            ExitCode.FAILED, "The broker refuses: " + sentence(refused), refused);
            case KafkaException kafka when kafka.getCause() instanceof KafkaException cause ->
                    of(cause, bootstrap);
            default -> new Failure(ExitCode.FAILED, unexpected(thrown), thrown);
        };
    }

    /// kafka-clients says in the same words that a topic does not exist and that nobody told whether it does; only the cause tells
    /// them apart. A missing partition, though, is known from an answer.
    private static Failure timeout(TimeoutException timeout, String bootstrap) {
        if (timeout.getCause() instanceof UnknownTopicOrPartitionException) {
            return new Failure(
                    ExitCode.NOT_FOUND,
                    "The topic does not exist, and the broker did not make it: "
                            + sentence(timeout)
                            + " Make it with 'sluice topic create'.",
                    timeout);
        }
        if (message(timeout).contains("with partition count")) {
            return new Failure(
                    ExitCode.NOT_FOUND,
                    "The topic has no such partition: "
                            + sentence(timeout)
                            + " Add some with 'sluice topic alter --partitions'.",
                    timeout);
        }
        return new Failure(
                ExitCode.TIMEOUT,
                "The broker at %s did not answer in time: %s 'sluice doctor' looks for the reason; --timeout gives it longer."
                        .formatted(bootstrap, sentence(timeout)),
                timeout);
    }

    private static String unexpected(Throwable thrown) {
        return "%s: %s --verbose shows where."
                .formatted(thrown.getClass().getSimpleName(), sentence(thrown));
    }

    private static String message(Throwable thrown) {
        @Nullable String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.getClass().getSimpleName() : message;
    }

    /// The message with a full stop at its end.
    private static String sentence(Throwable thrown) {
        String message = message(thrown).strip();
        return message.endsWith(".") ? message : message + ".";
    }
}
