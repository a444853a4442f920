package io.sluice.simulation;

import java.util.SortedMap;

/// Something that can be run under any seed, always in the same way under the same one.
@FunctionalInterface
public interface Scenario {
    /// Throws [InvariantBroken], or whatever else a bug throws.
    Report run(long seed, Story story);

    /// What a run came to.
    ///
    /// @param trace equal for equal runs
    /// @param events how many events the world ran
    /// @param counts what happened how often, so that a green run can be seen to have tested something
    record Report(long trace, long events, SortedMap<String, Integer> counts) {}
}
