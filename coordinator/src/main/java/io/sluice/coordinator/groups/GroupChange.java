package io.sluice.coordinator.groups;

import io.sluice.record.PartitionId;
import org.jspecify.annotations.Nullable;

/// What can happen to the groups on one partition. Immutable.
///
/// Logged changes survive a restart. Remembered ones are lost with the process, and may never contradict a logged one: a group's
/// generation changes only by [GenerationRecorded].
public sealed interface GroupChange {
    /// Written to the log; tombstones are the `…Forgotten`.
    sealed interface Logged extends GroupChange {}

    /// Kept in memory only.
    sealed interface Remembered extends GroupChange {}

    record GenerationRecorded(String group, Generation generation) implements Logged {}

    /// The group is gone, and its offsets with it (each has a tombstone of its own).
    record GroupForgotten(String group) implements Logged {}

    record OffsetCommitted(String group, PartitionId partition, CommittedOffset committed)
            implements Logged {}

    record OffsetForgotten(String group, PartitionId partition) implements Logged {}

    /// Who has joined, who waits, what is due. The generation is the one that was recorded last.
    record GroupMoved(Group group) implements Remembered {}

    /// The member has given a sign of life.
    record MemberSeen(String group, String memberId, long deadlineNanos) implements Remembered {}

    /// Nothing was due yet: look again then.
    record AlarmMoved(String group, long nanos) implements Remembered {}

    /// @param cursor the last group looked at, null at the end of a round
    record ExpiryMoved(@Nullable String cursor, long nextNanos) implements Remembered {}

    /// The log has been replayed. Every member gets its full session again.
    ///
    /// @param expiryNanos when to look for expired offsets
    record Restarted(long nowNanos, long expiryNanos) implements Remembered {}
}
