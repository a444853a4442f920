package io.sluice.client;

import java.util.Locale;

/// What to spend: waiting time for bigger batches, or requests for shorter waits.
///
/// Immutable.
public enum Profile {
    /// Large compressed batches; a message may wait some ten milliseconds for company.
    THROUGHPUT,
    /// Sent and handed out at once; more requests, and more work for the broker.
    LATENCY,
    /// Batches what arrives within a few milliseconds anyway.
    BALANCED;

    /// The name as written in flags and configuration files, such as `throughput`.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// The profile of that label.
    ///
    /// @throws IllegalArgumentException with the possible labels, when there is none
    public static Profile labelled(String label) {
        for (Profile profile : values()) {
            if (profile.label().equals(label.toLowerCase(Locale.ROOT))) {
                return profile;
            }
        }
        throw new IllegalArgumentException(
                "There is no profile '%s'. Choose throughput, latency or balanced."
                        .formatted(label));
    }
}
