package io.sluice.outbox.publishing;

import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.ApplicationRecoverableException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/// Why an event was not published, and so what to do about it.
///
/// Immutable.
public sealed interface Refusal {
    /// What is wrong with the producer, its session or its transaction; another one takes its place.
    List<Class<? extends Throwable>> OF_THE_PRODUCER =
            List.of(
                    ApplicationRecoverableException.class,
                    ProducerFencedException.class,
                    InvalidProducerEpochException.class,
                    OutOfOrderSequenceException.class,
                    InvalidPidMappingException.class,
                    InvalidTxnStateException.class,
                    TransactionAbortedException.class,
                    TransactionAbortableException.class,
                    TransactionalIdNotFoundException.class,
                    DisconnectException.class);

    /// In words, for the log and for the parked event.
    String reason();

    /// The broker cannot be reached, or not now: wait, then send again. Nothing is wrong with the event.
    record Transport(String reason) implements Refusal {}

    /// This event cannot be published: it is parked, and others go on.
    record OfRecord(String reason) implements Refusal {}

    /// No event of this lane can be published until somebody changes a setting: the lane stops.
    record OfConfiguration(String reason) implements Refusal {}

    /// The broker said no, and not that it would be different later, for a reason that is not known here: perhaps for this event. See [Suspicion].
    record Unexplained(String reason) implements Refusal {}

    static Refusal of(Throwable failure) {
        Throwable unresolved = findUnresolved(failure);
        if (unresolved != null) {
            return new Transport(words(unresolved));
        }
        String reason = words(failure);
        if (isOneOf(
                failure,
                List.of(
                        RecordTooLargeException.class,
                        InvalidRecordException.class,
                        SerializationException.class))) {
            return new OfRecord(reason);
        }
        if (isOneOf(
                failure,
                List.of(
                        ConfigException.class,
                        AuthorizationException.class,
                        AuthenticationException.class,
                        InvalidTopicException.class,
                        UnknownTopicOrPartitionException.class,
                        UnsupportedVersionException.class,
                        UnsupportedForMessageFormatException.class))) {
            return new OfConfiguration(reason);
        }
        if (isOneOf(failure, List.of(ApiException.class))
                && !isOneOf(failure, List.of(RetriableException.class))
                && !isOneOf(failure, OF_THE_PRODUCER)) {
            return new Unexplained(reason);
        }
        return new Transport(reason);
    }

    /// What the failure of a question about the topic means for events: that the broker is not reached, or that a setting is wrong. Anything else they have to find out.
    static Optional<Refusal> ofQuestion(Throwable failure) {
        Refusal why = of(failure);
        return why instanceof Transport || why instanceof OfConfiguration
                ? Optional.of(why)
                : Optional.empty();
    }

    /// That no name of a broker could be resolved, which kafka-clients calls a wrong setting. It may be one; it is also what they say where name resolution fails for a
    /// while, and then other relays should have the lanes.
    private static @Nullable Throwable findUnresolved(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = cause.getMessage();
            if (cause instanceof ConfigException
                    && message != null
                    && (message.contains("No resolvable bootstrap")
                            || message.contains("Unknown host"))) {
                return cause;
            }
        }
        return null;
    }

    private static boolean isOneOf(Throwable failure, List<Class<? extends Throwable>> classes) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            for (Class<? extends Throwable> candidate : classes) {
                if (candidate.isInstance(cause)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String words(Throwable failure) {
        String message = failure.getMessage();
        return failure.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }
}
