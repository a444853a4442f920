package io.sluice.kafka.api;

import io.sluice.kafka.wire.ApiKey;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What this broker offers to clients: exactly the APIs that it implements. Immutable.
public final class SupportedApis {
    private static final ApiKey[] IMPLEMENTED = {
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
    };

    private static final Map<ApiKey, Range> RANGES = new EnumMap<>(ApiKey.class);

    static {
        for (ApiKey key : IMPLEMENTED) {
            RANGES.put(key, new Range(key, key.lowestVersion(), key.highestVersion()));
        }
    }

    private SupportedApis() {}

    public record Range(ApiKey key, short lowest, short highest) {
        boolean holds(short version) {
            return version >= lowest && version <= highest;
        }
    }

    public static Iterable<Range> all() {
        return RANGES.values();
    }

    static @Nullable Range find(ApiKey key) {
        return RANGES.get(key);
    }
}
