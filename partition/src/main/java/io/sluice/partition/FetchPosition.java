package io.sluice.partition;

/// Where a follower goes on. Immutable.
///
/// @param leaderEpoch the term in which this is asked
/// @param offset the end of its log, everything below is safe
/// @param lastEpoch of the last batch in its log, -1 when it has none
public record FetchPosition(int leaderEpoch, long offset, int lastEpoch) {}
