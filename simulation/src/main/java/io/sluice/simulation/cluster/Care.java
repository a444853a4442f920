package io.sluice.simulation.cluster;

import io.sluice.simulation.SimEntropy;
import java.time.Duration;
import java.util.List;

/// How soon a cluster looks after itself. Immutable.
///
/// @param replaceAfter a broker that stays away for so long gets its replicas made anew elsewhere
/// @param scrubInterval in which every closed segment is read
record Care(Duration replaceAfter, Duration scrubInterval) {
    /// Longer than any run.
    static final Duration NOT_IN_A_RUN = Duration.ofMinutes(10);

    /// Brokers that are away come back to what they had, as in the stories, in which who has a replica must not change.
    static final Care PATIENT = new Care(NOT_IN_A_RUN, Duration.ofSeconds(10));

    static Care draw(SimEntropy entropy) {
        return new Care(
                entropy.pick(List.of(NOT_IN_A_RUN, Duration.ofSeconds(5), Duration.ofSeconds(12))),
                Duration.ofSeconds(entropy.pick(List.of(2, 8, 20))));
    }

    boolean replaces() {
        return !replaceAfter.equals(NOT_IN_A_RUN);
    }
}
