package io.sluice.coordinator.groups;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// How far a group has come in a partition: the offset of the next record it wants. Immutable.
///
/// @param leaderEpoch of the last record consumed, -1 if unknown; lets the consumer notice a truncated log (KIP-320)
/// @param metadata whatever text the client wants to keep with it
/// @param expiresAtMillis -1 unless the client asked for a retention of its own (OffsetCommit versions 2–4)
/// @param topicId of the topic that had the name then; null if the client asked for a retention of its own, or an earlier version has written it for one that named the topic only
public record CommittedOffset(
        long offset,
        int leaderEpoch,
        String metadata,
        long committedAtMillis,
        long expiresAtMillis,
        @Nullable UUID topicId) {
    public static final long NEVER = -1;

    /// Not known to be another one's.
    boolean mayBeOf(UUID topic) {
        return topicId == null || topicId.equals(topic);
    }
}
