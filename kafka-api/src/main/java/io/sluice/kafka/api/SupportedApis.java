package io.sluice.kafka.api;

import io.sluice.kafka.wire.ApiKey;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What this broker understands: the APIs that it offers to clients, and those that only brokers use among themselves. Immutable.
public final class SupportedApis {
    private static final ApiKey[] FOR_CLIENTS = {
        ApiKey.PRODUCE,
        ApiKey.FETCH,
        ApiKey.LIST_OFFSETS,
        ApiKey.METADATA,
        ApiKey.OFFSET_COMMIT,
        ApiKey.OFFSET_FETCH,
        ApiKey.FIND_COORDINATOR,
        ApiKey.JOIN_GROUP,
        ApiKey.HEARTBEAT,
        ApiKey.LEAVE_GROUP,
        ApiKey.SYNC_GROUP,
        ApiKey.DESCRIBE_GROUPS,
        ApiKey.LIST_GROUPS,
        ApiKey.API_VERSIONS,
        ApiKey.CREATE_TOPICS,
        ApiKey.DELETE_TOPICS,
        ApiKey.DELETE_RECORDS,
        ApiKey.INIT_PRODUCER_ID,
        ApiKey.OFFSET_FOR_LEADER_EPOCH,
        ApiKey.DESCRIBE_CONFIGS,
        ApiKey.ALTER_CONFIGS,
        ApiKey.DESCRIBE_LOG_DIRS,
        ApiKey.CREATE_PARTITIONS,
        ApiKey.DELETE_GROUPS,
        ApiKey.INCREMENTAL_ALTER_CONFIGS,
        ApiKey.OFFSET_DELETE,
        ApiKey.DESCRIBE_CLUSTER,
        ApiKey.DESCRIBE_PRODUCERS,
        ApiKey.DESCRIBE_TRANSACTIONS,
        ApiKey.LIST_TRANSACTIONS,
        ApiKey.CONSUMER_GROUP_DESCRIBE,
        ApiKey.DESCRIBE_TOPIC_PARTITIONS,
        ApiKey.ALTER_PARTITION_REASSIGNMENTS,
        ApiKey.LIST_PARTITION_REASSIGNMENTS,
        ApiKey.ELECT_LEADERS,
        ApiKey.UNREGISTER_BROKER,
    };

    /// Understood and not offered: a client has no use for them, and one that tries without being a broker is refused.
    private static final ApiKey[] BETWEEN_BROKERS = {
        ApiKey.BROKER_HEARTBEAT, ApiKey.ALTER_PARTITION,
    };

    private static final Map<ApiKey, Range> OFFERED = ranges(FOR_CLIENTS);
    private static final Map<ApiKey, Range> UNDERSTOOD = ranges(FOR_CLIENTS, BETWEEN_BROKERS);

    private static Map<ApiKey, Range> ranges(ApiKey[]... groups) {
        Map<ApiKey, Range> ranges = new EnumMap<>(ApiKey.class);
        for (ApiKey[] group : groups) {
            for (ApiKey key : group) {
                ranges.put(key, new Range(key, key.lowestVersion(), key.highestVersion()));
            }
        }
        return ranges;
    }

    private SupportedApis() {}

    public record Range(ApiKey key, short lowest, short highest) {
        boolean holds(short version) {
            return version >= lowest && version <= highest;
        }
    }

    /// What clients are told.
    public static Iterable<Range> offered() {
        return OFFERED.values();
    }

    static @Nullable Range find(ApiKey key) {
        return UNDERSTOOD.get(key);
    }
}
