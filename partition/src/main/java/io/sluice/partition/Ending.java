package io.sluice.partition;

/// How the partitions of a shard, or of a broker, have ended.
public enum Ending {
    /// Everything that they ever took in is on disk.
    FLUSHED,
    /// What was open is on disk. Others were closed or offline, or a cut was under way: the page cache may have something of theirs that the disk has not.
    PARTLY,
    /// Some could not be flushed: nobody knows what is on disk, or in the page cache.
    FAILED;

    /// Of both together.
    public Ending and(Ending other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
