package io.sluice.coordinator;

import java.util.function.Function;

/// What became of a command: the machine's reply, or why there is none. Immutable.
public sealed interface Outcome<R> {
    record Done<R>(R reply) implements Outcome<R> {}

    record Unavailable<R>(Unavailability cause) implements Outcome<R> {}

    static <R> Outcome<R> done(R reply) {
        return new Done<>(reply);
    }

    static <R> Outcome<R> unavailable(Unavailability cause) {
        return new Unavailable<>(cause);
    }

    default <T> T fold(Function<R, T> onDone, Function<Unavailability, T> onUnavailable) {
        return switch (this) {
            case Done<R>(R reply) -> onDone.apply(reply);
            case Unavailable<R>(Unavailability cause) -> onUnavailable.apply(cause);
        };
    }
}
