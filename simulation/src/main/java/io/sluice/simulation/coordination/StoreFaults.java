package io.sluice.simulation.coordination;

/// How often things go wrong by themselves between processes and the store. Immutable.
///
/// @param lostCommitPercent commits during which the connection breaks, before or after they are made
/// @param slowPercent messages that take up to seconds
public record StoreFaults(int lostCommitPercent, int slowPercent) {
    public static final StoreFaults NONE = new StoreFaults(0, 0);
}
