package io.sluice.partition;

/// The answer to a question about a partition, or why there is none. Immutable.
public sealed interface Lookup<T> {
    record Found<T>(T value) implements Lookup<T> {}

    record Failed<T>(Unavailable why, String sentence) implements Lookup<T> {}
}
