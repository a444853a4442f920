package io.sluice.controller;

import java.util.concurrent.atomic.LongAdder;

/// What a broker's controller has done since its start. Thread-safe: adders.
public final class ControllerCounters {
    /// How often this broker has taken the office, and lost it.
    public final LongAdder officesTaken = new LongAdder();

    public final LongAdder officesLost = new LongAdder();

    /// New terms of office of partitions' leaders.
    public final LongAdder elections = new LongAdder();

    /// Elections of a leader that may lack what was committed.
    public final LongAdder uncleanElections = new LongAdder();

    /// Partitions whose last in-sync replica came back without its data.
    public final LongAdder partitionsLost = new LongAdder();

    /// How often a topic was set aside since the store did not take its plan.
    public final LongAdder topicsSetAside = new LongAdder();

    /// Commits of the active controller.
    public final LongAdder commits = new LongAdder();
}
