package io.sluice.log.recovery;

/// A place in the log up to which everything is on disk. Immutable.
public record DurablePoint(long offset, long segmentBase, int position) {}
