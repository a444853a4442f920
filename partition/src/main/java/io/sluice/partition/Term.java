package io.sluice.partition;

/// What an open replica does during one term of a leader: it leads or it follows. Owned by its shard.
sealed interface Term permits Leadership, Followership {
    Role role();

    /// An fsync came back: everything below the offset is durable.
    void flushed(long durableOffset);

    /// Nobody knows any more what is on the disk.
    void diskFailed();

    /// The topic's settings have changed.
    void settingsChanged();

    /// Another term has taken its place: all who wait are told.
    void end();
}
