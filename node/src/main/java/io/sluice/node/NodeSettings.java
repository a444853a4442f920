package io.sluice.node;

import io.sluice.controller.ControllerSettings;
import io.sluice.coordinator.groups.GroupSettings;
import io.sluice.settings.SettingDefinition;
import io.sluice.settings.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// What a node goes by. Immutable.
///
/// @param dataPath where its data is, as an operator knows it
/// @param topicDefaults settings for all topics that do not set them themselves
/// @param brokersNamed how many brokers the cluster is to have by its settings, at least; 1 where they do not say
/// @param definitions every setting of the broker with the value in force, for clients that ask
public record NodeSettings(
        int nodeId,
        String dataPath,
        Topics topics,
        Storage storage,
        ControllerSettings controller,
        GroupSettings groups,
        Map<String, String> topicDefaults,
        int brokersNamed,
        List<SettingDefinition> definitions) {

    public record Topics(
            boolean autoCreate,
            int defaultPartitions,
            int defaultReplicationFactor,
            int offsetsPartitions) {
        public static Topics from(Settings s) {
            return new Topics(
                    s.flag(
                            "topics.auto-create",
                            true,
                            "Creates a topic when a client first uses it."),
                    s.integer(
                            "topics.default-partitions",
                            1,
                            1,
                            100_000,
                            "Partitions of a topic for which none are asked."),
                    s.integer(
                            "topics.default-replication-factor",
                            3,
                            1,
                            1_000,
                            "Replicas of a topic for which no number is asked; in a cluster of fewer brokers, as many as these: 1 on a single node."),
                    s.integer(
                            "topics.offsets-partitions",
                            16,
                            1,
                            10_000,
                            "Partitions of the topic that remembers consumer groups; counts when it is made."));
        }
    }

    public record Storage(
            int flushThreads,
            Duration flushInterval,
            Duration checkpointInterval,
            Duration housekeepingInterval,
            Duration replicaLagMax,
            Scrubbing scrubbing) {
        /// With the usual scrubbing.
        public Storage(
                int flushThreads,
                Duration flushInterval,
                Duration checkpointInterval,
                Duration housekeepingInterval,
                Duration replicaLagMax) {
            this(
                    flushThreads,
                    flushInterval,
                    checkpointInterval,
                    housekeepingInterval,
                    replicaLagMax,
                    Scrubbing.from(new Settings(Map.of())));
        }

        public static Storage from(Settings s) {
            return new Storage(
                    s.integer("log.flush-threads", 8, 1, 256, "fsyncs under way at the same time."),
                    s.duration(
                            "log.flush-interval",
                            "1s",
                            Duration.ofMillis(1),
                            "What nobody waits for (acks=1, acks=0, flush=page-cache) is flushed to disk after this time."),
                    s.duration(
                            "log.checkpoint-interval",
                            "5s",
                            Duration.ofMillis(10),
                            "How often it is noted how far partitions are durable; recovery reads what came after."),
                    s.duration(
                            "log.housekeeping-interval",
                            "30s",
                            Duration.ofMillis(10),
                            "How often retention, compaction and idle files are looked at."),
                    s.duration(
                            "cluster.replica-lag-max",
                            "10s",
                            Duration.ofMillis(100),
                            "A replica that has not caught up with its leader for so long does not count as in sync (Kafka's replica.lag.time.max.ms)."),
                    Scrubbing.from(s));
        }
    }

    /// @param interval from the beginning of one round to that of the next
    public record Scrubbing(Duration interval, long bytesPerSecond) {
        public static Scrubbing from(Settings s) {
            return new Scrubbing(
                    s.duration(
                            "log.scrub-interval",
                            "7d",
                            Duration.ofMillis(100),
                            "How often every closed segment is read and checked against its checksums. What is damaged is mended from an in-sync replica."),
                    s.size(
                            "log.scrub-bytes-per-second",
                            "8MiB",
                            0,
                            "How fast closed segments are read for that, at most; 0 leaves them unchecked until somebody reads them."));
        }
    }
}
