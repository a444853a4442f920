package io.sluice.chaos.check;

/// One broken promise, with what it takes to look for its cause: the partition, and the time on the harness's clock.
///
/// Immutable.
public record Violation(String check, int partition, long atNanos, String sentence) {

    @Override
    public String toString() {
        return check + " on partition " + partition + ": " + sentence;
    }
}
