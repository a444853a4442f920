package io.sluice.outbox.spring;

import io.sluice.outbox.Guarantee;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.compat.CompatSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// The properties `app.outbox.…`.
///
/// Immutable.
///
/// @param table the event table
/// @param schema who makes the tables
/// @param partitionEvents how many events a partition has, where the tables are made with partitions: as many as writers write in some minutes, at
///     least. Those that use up three within ten seconds, or while no relay runs, fail
/// @param lockAggregates whether each append locks its aggregate's id, for writers that share no row to lock
@ConfigurationProperties(OutboxProperties.PREFIX)
public record OutboxProperties(
        @DefaultValue("transfer_events") String table,
        @DefaultValue("none") Schema schema,
        @DefaultValue("1000000") long partitionEvents,
        @DefaultValue("false") boolean lockAggregates,
        @DefaultValue Relay relay) {
    public static final String PREFIX = "app.outbox";

    /// Who makes the tables.
    public enum Schema {
        /// They are there.
        NONE,
        /// The scripts, at every start.
        INSTALL,
        /// The same with a new event table in partitions, which the relays make, and drop when their events are published and old enough.
        PARTITIONED,
        /// The same scripts through Flyway, with a history table of their own: `outbox_schema_history`.
        FLYWAY
    }

    /// How the relay reads.
    public enum Mode {
        /// As the database says: by lanes if these tables are there.
        AUTO,
        COMPAT,
        LOG
    }

    /// The document's settings; those that nobody has set have its defaults. The first ones are ours.
    ///
    /// @param enabled whether a relay runs in this application; it needs a topic
    /// @param topic where to publish; otherwise `RELAY_TOPIC`
    /// @param wal whether the database's log may be read where `sluice outbox mode wal` asks for it
    /// @param retention how long partitions of published events are kept
    /// @param unboundedSlot go on in wal mode although `max_slot_wal_keep_size` is not set
    /// @param producer settings of kafka-clients' producer
    /// @param initialDelayMs known to the document, without a meaning here: nothing has to be waited for
    /// @param threadPoolSize known to the document, without a meaning here: no pool sends
    /// @param instanceId a number in compat mode, any name in the others
    /// @param totalInstances a number in compat mode, ignored in the others
    public record Relay(
            @DefaultValue("true") boolean enabled,
            @Nullable String topic,
            @DefaultValue("auto") Mode mode,
            @DefaultValue("at-least-once") Guarantee guarantee,
            @DefaultValue("true") boolean wal,
            @DefaultValue("24h") Duration retention,
            @DefaultValue("false") boolean unboundedSlot,
            @DefaultValue Map<String, String> producer,
            @Nullable Integer batchSize,
            @Nullable Integer fixedDelayMs,
            @Nullable Integer initialDelayMs,
            @Nullable Integer threadPoolSize,
            @Nullable Integer timeoutSeconds,
            @Nullable Integer baseBackoffMs,
            @Nullable Integer maxBackoffMs,
            @Nullable Integer slowProcessingThresholdMs,
            @Nullable String instanceId,
            @Nullable String totalInstances) {

        /// What somebody has set of the document's.
        Map<String, String> given() {
            Map<String, String> given = new LinkedHashMap<>();
            put(given, "batchSize", batchSize);
            put(given, "fixedDelayMs", fixedDelayMs);
            put(given, "timeoutSeconds", timeoutSeconds);
            put(given, "baseBackoffMs", baseBackoffMs);
            put(given, "maxBackoffMs", maxBackoffMs);
            put(given, "slowProcessingThresholdMs", slowProcessingThresholdMs);
            put(given, "instanceId", instanceId);
            put(given, "totalInstances", totalInstances);
            return given;
        }

        private static void put(Map<String, String> given, String name, @Nullable Object value) {
            if (value != null) {
                given.put(CompatSettings.PREFIX + name, value.toString());
            }
        }
    }

    OutboxTable outboxTable() {
        return OutboxTable.named(table);
    }
}
