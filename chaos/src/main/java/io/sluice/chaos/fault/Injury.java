package io.sluice.chaos.fault;

import java.time.Duration;
import java.util.SortedSet;
import java.util.TreeSet;

/// What a fault has done: in one line, for how long it stays so, and how it ends.
///
/// `watched` are the partitions whose gap the fault is judged by.
///
/// Immutable.
public record Injury(String story, SortedSet<Integer> watched, Duration lasts, Runnable healing) {

    public Injury {
        watched = new TreeSet<>(watched);
    }
}
