package io.sluice.partition;

import io.sluice.log.TopicSettings;
import java.time.Duration;

/// What a topic asks of its in-sync replicas. Immutable.
///
/// @param minInSync fewer than these, and `acks=all` is refused (`min.insync.replicas`)
/// @param safeInMemory a record is safe where it is in the page cache (`flush=page-cache`)
/// @param lagNanos a follower that has not caught up for longer leaves the set
/// @param lagMessages or that is farther behind than this, [TopicSettings#NO_LIMIT] for any
record InSyncRules(int minInSync, boolean safeInMemory, long lagNanos, long lagMessages) {
    static InSyncRules of(TopicSettings settings, Duration lagTimeMax) {
        return new InSyncRules(
                settings.minInSyncReplicas(),
                settings.flush() == TopicSettings.FlushPolicy.PAGE_CACHE,
                lagTimeMax.toNanos(),
                settings.replicaLagMaxMessages());
    }

    boolean isTooFarBehind(long records) {
        return lagMessages != TopicSettings.NO_LIMIT && records > lagMessages;
    }
}
