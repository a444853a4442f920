package io.sluice.client;

import java.util.Locale;

/// How often a message may reach the work: the promise that every setting has to keep.
///
/// Immutable.
public enum Delivery {
    /// Never twice, perhaps not at all: no retry, the offset is committed before the work.
    AT_MOST_ONCE,
    /// Never lost, perhaps twice: acknowledged and retried, the offset is committed after the work.
    AT_LEAST_ONCE,
    /// Results and offsets become visible together or not at all: transactions, read-committed.
    EXACTLY_ONCE;

    /// The name as written in flags and configuration files, such as `at-least-once`.
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// The delivery of that label.
    ///
    /// @throws IllegalArgumentException with the possible labels, when there is none
    public static Delivery labelled(String label) {
        for (Delivery delivery : values()) {
            if (delivery.label().equals(label.toLowerCase(Locale.ROOT))) {
                return delivery;
            }
        }
        throw new IllegalArgumentException(
                "There is no delivery '%s'. Choose at-most-once, at-least-once or exactly-once."
                        .formatted(label));
    }
}
