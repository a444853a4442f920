package io.sluice.log;

import io.sluice.record.Compression;
import io.sluice.settings.InvalidSetting;
import io.sluice.settings.SettingDefinition;
import io.sluice.settings.Settings;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Everything a topic can set, under Kafka's names, units and defaults where Kafka has them. Immutable.
public record TopicSettings(
        Segments segments,
        Retention retention,
        Compaction compaction,
        Messages messages,
        int minInSyncReplicas,
        long replicaLagMaxMessages,
        boolean uncleanLeaderElection,
        FlushPolicy flush,
        Profile profile) {

    /// `replica.lag.max.messages`: only time counts.
    public static final long NO_LIMIT = -1;

    private static final long SMALLEST_SEGMENT_BYTES = 1 << 20;
    private static final long DAY_MILLIS = 24 * 60 * 60 * 1000L;

    /// @param jitterMillis spreads the rolling by age of segments that began together
    public record Segments(int bytes, long millis, long jitterMillis, int indexIntervalBytes) {}

    /// @param deletes whether old data is deleted at all (`cleanup.policy`)
    /// @param millis -1 for no limit
    /// @param bytes -1 for no limit
    public record Retention(boolean deletes, long millis, long bytes, long fileDeleteDelayMillis) {}

    /// @param enabled whether only the last record of each key is kept (`cleanup.policy`)
    public record Compaction(
            boolean enabled,
            long minLagMillis,
            long maxLagMillis,
            double minDirtyRatio,
            long deleteRetentionMillis) {}

    public record Messages(
            int maxBytes,
            TimestampType timestampType,
            long timestampBeforeMaxMillis,
            long timestampAfterMaxMillis,
            CompressionType compression) {}

    public enum TimestampType {
        CREATE_TIME("CreateTime"),
        LOG_APPEND_TIME("LogAppendTime");

        private final String label;

        TimestampType(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    /// What an acknowledgement of `acks=all` means on this replica.
    public enum FlushPolicy {
        FSYNC("fsync"),
        PAGE_CACHE("page-cache");

        private final String label;

        FlushPolicy(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    /// What the broker favours where it has a choice (Q7).
    public enum Profile {
        BALANCED,
        /// Waits a little to serve more at once.
        THROUGHPUT,
        /// Spends room on disk for shorter forces.
        LATENCY;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// How batches are stored: as the producer compressed them, or compressed again by the broker.
    public enum CompressionType {
        PRODUCER(null),
        UNCOMPRESSED(Compression.NONE),
        GZIP(Compression.GZIP),
        SNAPPY(Compression.SNAPPY),
        LZ4(Compression.LZ4),
        ZSTD(Compression.ZSTD);

        private final @Nullable Compression target;

        CompressionType(@Nullable Compression target) {
            this.target = target;
        }

        /// Null when the producer's choice is kept.
        public @Nullable Compression target() {
            return target;
        }

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// What reading a topic's settings comes to: unknown keys and bad values are the client's mistake, so they are a value.
    public sealed interface Parsed {
        record Valid(TopicSettings settings) implements Parsed {}

        /// @param name the key
        /// @param sentence what is wrong with it and what is allowed
        record Invalid(String name, String sentence) implements Parsed {}
    }

    public static TopicSettings defaults() {
        return from(new Settings(Map.of()));
    }

    /// @param given the topic's own settings over the broker's defaults for topics, if any
    public static Parsed parse(Map<String, String> given) {
        try {
            Settings settings = new Settings(given);
            TopicSettings parsed = from(settings);
            settings.refuseUnknown();
            return new Parsed.Valid(parsed);
        } catch (InvalidSetting e) {
            return new Parsed.Invalid(e.name(), String.valueOf(e.getMessage()));
        }
    }

    /// Every key with its default, bounds and sentence, and the value in force: for `DescribeConfigs` and the reference page.
    public static List<SettingDefinition> definitions(Map<String, String> given) {
        Settings settings = new Settings(given);
        from(settings);
        return settings.definitions();
    }

    /// The same with other segment sizes: tests and the simulation use segments of a few batches.
    public TopicSettings withSegments(int bytes, int indexIntervalBytes) {
        return new TopicSettings(
                new Segments(bytes, segments.millis(), segments.jitterMillis(), indexIntervalBytes),
                retention,
                compaction,
                messages,
                minInSyncReplicas,
                replicaLagMaxMessages,
                uncleanLeaderElection,
                flush,
                profile);
    }

    private static TopicSettings from(Settings from) {
        List<String> cleanup =
                from.list(
                        "cleanup.policy",
                        List.of("delete"),
                        List.of("delete", "compact"),
                        "What happens to old records: deleted by age and size, or all but the last of each key removed, or both.");
        TopicSettings settings =
                new TopicSettings(
                        segments(from),
                        retention(from, cleanup.contains("delete")),
                        compaction(from, cleanup.contains("compact")),
                        messages(from),
                        from.integer(
                                "min.insync.replicas",
                                1,
                                1,
                                Integer.MAX_VALUE,
                                "How many in-sync replicas must have a record before acks=all is acknowledged."),
                        from.number(
                                "replica.lag.max.messages",
                                NO_LIMIT,
                                NO_LIMIT,
                                Long.MAX_VALUE,
                                "A follower that is more records than this behind its leader leaves the in-sync set, however short the time; -1 for no limit."),
                        from.flag(
                                "unclean.leader.election.enable",
                                false,
                                "Lets a replica that lacks acknowledged records become leader when no other is left."),
                        from.choice(
                                "flush",
                                FlushPolicy.FSYNC,
                                FlushPolicy::label,
                                "fsync: acks=all waits until the record is on disk. page-cache: it waits for the operating system's memory only."),
                        from.choice(
                                "profile",
                                Profile.BALANCED,
                                Profile::label,
                                "What the broker favours where it has a choice. latency: room is made ahead of even a small partition, so that every fsync is short. throughput: fsyncs and fetches wait some milliseconds to serve more at once. balanced: neither."));
        acceptWithoutEffect(from);
        return settings;
    }

    /// Kafka's keys for which there is nothing to tune here. Tools that copy a topic's settings from one cluster to another must not fail because of them.
    private static void acceptWithoutEffect(Settings from) {
        from.number(
                "flush.messages",
                Long.MAX_VALUE,
                1,
                Long.MAX_VALUE,
                "Kafka's; without effect: what is acknowledged is on disk, see flush.");
        from.number(
                "flush.ms",
                Long.MAX_VALUE,
                0,
                Long.MAX_VALUE,
                "Kafka's; without effect: what is acknowledged is on disk, see flush.");
        from.flag(
                "preallocate",
                false,
                "Kafka's; without effect: room is made ahead of every busy segment.");
        from.integer(
                "segment.index.bytes",
                10 << 20,
                4,
                Integer.MAX_VALUE,
                "Kafka's; without effect: an index is as large as its segment needs.");
    }

    private static Segments segments(Settings from) {
        return new Segments(
                (int)
                        from.number(
                                "segment.bytes",
                                512 << 20,
                                SMALLEST_SEGMENT_BYTES,
                                Integer.MAX_VALUE,
                                "Size at which a segment is closed and a new one begun."),
                from.number(
                        "segment.ms",
                        7 * DAY_MILLIS,
                        1,
                        Long.MAX_VALUE,
                        "Age at which a segment is closed even if it is not full."),
                from.number(
                        "segment.jitter.ms",
                        0,
                        0,
                        Long.MAX_VALUE,
                        "At most this much is taken off segment.ms, so that not all partitions roll at once."),
                from.integer(
                        "index.interval.bytes",
                        4096,
                        0,
                        Integer.MAX_VALUE,
                        "Distance between two entries of a segment's index."));
    }

    private static Retention retention(Settings from, boolean deletes) {
        return new Retention(
                deletes,
                from.number(
                        "retention.ms",
                        14 * DAY_MILLIS,
                        -1,
                        Long.MAX_VALUE,
                        "Records older than this are deleted, a segment at a time; -1 keeps them for ever."),
                from.number(
                        "retention.bytes",
                        -1,
                        -1,
                        Long.MAX_VALUE,
                        "A partition larger than this loses its oldest segments; -1 for no limit."),
                from.number(
                        "file.delete.delay.ms",
                        60_000,
                        0,
                        Long.MAX_VALUE,
                        "How long a deleted file stays on disk under another name."));
    }

    private static Compaction compaction(Settings from, boolean enabled) {
        return new Compaction(
                enabled,
                from.number(
                        "min.compaction.lag.ms",
                        0,
                        0,
                        Long.MAX_VALUE,
                        "Records younger than this are not compacted."),
                from.number(
                        "max.compaction.lag.ms",
                        Long.MAX_VALUE,
                        1,
                        Long.MAX_VALUE,
                        "Records older than this are compacted even if the log is not dirty enough."),
                from.decimal(
                        "min.cleanable.dirty.ratio",
                        0.5,
                        0,
                        1,
                        "Share of not yet compacted bytes at which a compaction starts."),
                from.number(
                        "delete.retention.ms",
                        DAY_MILLIS,
                        0,
                        Long.MAX_VALUE,
                        "How long a tombstone stays after compaction has seen it, so that slow readers learn of the deletion."));
    }

    private static Messages messages(Settings from) {
        return new Messages(
                from.integer(
                        "max.message.bytes",
                        1_048_588,
                        0,
                        Integer.MAX_VALUE,
                        "Largest record batch that is accepted, after compression."),
                from.choice(
                        "message.timestamp.type",
                        TimestampType.CREATE_TIME,
                        TimestampType::label,
                        "Whose time a record carries: the producer's or the broker's."),
                from.number(
                        "message.timestamp.before.max.ms",
                        Long.MAX_VALUE,
                        0,
                        Long.MAX_VALUE,
                        "How far a producer's timestamp may lie before the broker's time."),
                from.number(
                        "message.timestamp.after.max.ms",
                        3_600_000,
                        0,
                        Long.MAX_VALUE,
                        "How far a producer's timestamp may lie after the broker's time."),
                from.choice(
                        "compression.type",
                        CompressionType.PRODUCER,
                        CompressionType::label,
                        "How batches are stored: as the producer compressed them, or compressed again by the broker."));
    }
}
