package io.sluice.partition;

/// A record's place and time; all -1 when there is no such record. Immutable.
public record OffsetAndTime(long offset, long timestamp, int leaderEpoch) {
    public static final OffsetAndTime NONE = new OffsetAndTime(-1, -1, -1);
}
