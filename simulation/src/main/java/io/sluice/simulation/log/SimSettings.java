package io.sluice.simulation.log;

import io.sluice.log.TopicSettings;
import io.sluice.log.TopicSettings.FlushPolicy;
import io.sluice.log.TopicSettings.TimestampType;
import io.sluice.simulation.SimEntropy;
import java.util.List;

/// Draws a topic's settings, small enough that a short run fills, rolls, ages and deletes segments.
final class SimSettings {
    private SimSettings() {}

    static TopicSettings draw(SimEntropy entropy) {
        TopicSettings usual = TopicSettings.defaults();
        TopicSettings.Segments segments =
                new TopicSettings.Segments(
                        entropy.pick(List.of(1_000, 4_000, 30_000, 300_000)),
                        entropy.pick(List.of(60_000L, 3_600_000L)),
                        entropy.pick(List.of(0L, 30_000L)),
                        entropy.pick(List.of(0, 300, 4_096)));
        boolean compacted = entropy.chance(35);
        TopicSettings.Compaction compaction =
                new TopicSettings.Compaction(
                        compacted,
                        entropy.pick(List.of(0L, 0L, 60_000L)),
                        Long.MAX_VALUE,
                        entropy.pick(List.of(0.01, 0.5)),
                        entropy.pick(List.of(0L, 60_000L, 86_400_000L)));
        TopicSettings.Retention retention =
                new TopicSettings.Retention(
                        !compacted || entropy.oneIn(3),
                        entropy.pick(List.of(-1L, 600_000L, 7_200_000L)),
                        entropy.pick(List.of(-1L, 5_000L, 50_000L)),
                        entropy.pick(List.of(0L, 60_000L)));
        TopicSettings.Messages messages =
                new TopicSettings.Messages(
                        usual.messages().maxBytes(),
                        entropy.oneIn(4)
                                ? TimestampType.LOG_APPEND_TIME
                                : TimestampType.CREATE_TIME,
                        usual.messages().timestampBeforeMaxMillis(),
                        usual.messages().timestampAfterMaxMillis(),
                        usual.messages().compression());
        return new TopicSettings(
                segments,
                retention,
                compaction,
                messages,
                usual.minInSyncReplicas(),
                usual.replicaLagMaxMessages(),
                usual.uncleanLeaderElection(),
                entropy.oneIn(4) ? FlushPolicy.PAGE_CACHE : FlushPolicy.FSYNC,
                usual.profile());
    }

    /// Nothing is ever deleted.
    static TopicSettings keepingAll(TopicSettings drawn) {
        TopicSettings.Compaction compaction = drawn.compaction();
        TopicSettings.Retention retention = drawn.retention();
        return new TopicSettings(
                drawn.segments(),
                new TopicSettings.Retention(false, -1, -1, retention.fileDeleteDelayMillis()),
                new TopicSettings.Compaction(
                        false,
                        compaction.minLagMillis(),
                        compaction.maxLagMillis(),
                        compaction.minDirtyRatio(),
                        compaction.deleteRetentionMillis()),
                drawn.messages(),
                drawn.minInSyncReplicas(),
                drawn.replicaLagMaxMessages(),
                drawn.uncleanLeaderElection(),
                drawn.flush(),
                drawn.profile());
    }
}
