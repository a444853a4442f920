package io.sluice.coordinator.groups;

import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Which offsets nobody will ask for any more (KIP-211). Pure.
///
/// | the group                         | its offsets age from                            |
/// |-----------------------------------|-------------------------------------------------|
/// | has no members any more           | the time it became empty, or a later commit     |
/// | never had any                     | their commit                                    |
/// | is stable, and knows its topics   | their commit, for topics no longer subscribed to |
/// | rebalances, or is not of consumers | do not age                                      |
final class OffsetExpiry {
    private final Duration retention;

    OffsetExpiry(Duration retention) {
        this.retention = retention;
    }

    List<PartitionId> expired(
            Group group, Map<PartitionId, CommittedOffset> offsets, long nowMillis) {
        List<PartitionId> expired = new ArrayList<>();
        boolean isEmpty = group.phase() == GroupPhase.EMPTY;
        Set<String> inUse = isEmpty ? Set.of() : topicsInUse(group);
        if (inUse == null) {
            return expired;
        }
        long emptySince =
                isEmpty && group.protocolType() != null ? group.generation().sinceMillis() : -1;
        offsets.forEach(
                (partition, committed) -> {
                    long ageFrom = Math.max(emptySince, committed.committedAtMillis());
                    long expiresAt =
                            committed.expiresAtMillis() == CommittedOffset.NEVER
                                    ? ageFrom + retention.toMillis()
                                    : committed.expiresAtMillis();
                    if (nowMillis >= expiresAt && !inUse.contains(partition.topic())) {
                        expired.add(partition);
                    }
                });
        return expired;
    }

    private static @Nullable Set<String> topicsInUse(Group group) {
        return group.phase() == GroupPhase.STABLE ? Subscriptions.topics(group.generation()) : null;
    }
}
