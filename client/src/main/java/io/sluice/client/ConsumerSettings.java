package io.sluice.client;

import static org.apache.kafka.clients.consumer.ConsumerConfig.AUTO_OFFSET_RESET_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.FETCH_MIN_BYTES_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.ISOLATION_LEVEL_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.MAX_POLL_RECORDS_CONFIG;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// The consumer's half of a preset: what each choice sets, and which overrides would break it.
///
/// Immutable.
final class ConsumerSettings {
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;
    private static final String READ_COMMITTED = "read_committed";

    private final Delivery delivery;
    private final Map<String, Object> settings;

    private ConsumerSettings(Preset preset, Map<String, ?> overrides) {
        delivery = preset.delivery();
        settings = new TreeMap<>();
        putDelivery();
        putProfile(preset.profile());
        settings.putAll(overrides);
    }

    static Map<String, Object> of(Preset preset, Map<String, ?> overrides) {
        var result = new ConsumerSettings(preset, overrides);
        result.check();
        return result.settings;
    }

    private void putDelivery() {
        // The loops commit; a timer that commits whatever was polled keeps no promise.
        settings.put(ENABLE_AUTO_COMMIT_CONFIG, false);
        switch (delivery) {
            case AT_MOST_ONCE -> putReading("latest", "read_uncommitted");
            case AT_LEAST_ONCE -> putReading("earliest", "read_uncommitted");
            case EXACTLY_ONCE -> putReading("earliest", READ_COMMITTED);
        }
    }

    private void putReading(String reset, String isolation) {
        settings.put(AUTO_OFFSET_RESET_CONFIG, reset);
        settings.put(ISOLATION_LEVEL_CONFIG, isolation);
    }

    private void putProfile(Profile profile) {
        switch (profile) {
            case THROUGHPUT -> putFetching(128 * KIB, 100, 4 * MIB, 5_000);
            case BALANCED -> putFetching(1, 500, MIB, 500);
            case LATENCY -> putFetching(1, 500, MIB, 100);
        }
    }

    private void putFetching(int minBytes, int waitMillis, int partitionBytes, int pollRecords) {
        settings.put(FETCH_MIN_BYTES_CONFIG, minBytes);
        settings.put(FETCH_MAX_WAIT_MS_CONFIG, waitMillis);
        settings.put(MAX_PARTITION_FETCH_BYTES_CONFIG, partitionBytes);
        settings.put(MAX_POLL_RECORDS_CONFIG, pollRecords);
    }

    private void check() {
        Object autoCommit = settings.get(ENABLE_AUTO_COMMIT_CONFIG);
        if (Boolean.parseBoolean(String.valueOf(autoCommit).trim())) {
            throw new PresetConflictException(
                    delivery,
                    ENABLE_AUTO_COMMIT_CONFIG + "=false",
                    ENABLE_AUTO_COMMIT_CONFIG + "=" + autoCommit,
                    "a timer would commit what was polled, whether or not the work on it is done",
                    "Remove enable.auto.commit");
        }
        Object isolation = settings.get(ISOLATION_LEVEL_CONFIG);
        boolean committed =
                String.valueOf(isolation).trim().toLowerCase(Locale.ROOT).equals(READ_COMMITTED);
        if (delivery == Delivery.EXACTLY_ONCE && !committed) {
            throw new PresetConflictException(
                    delivery,
                    ISOLATION_LEVEL_CONFIG + "=" + READ_COMMITTED,
                    ISOLATION_LEVEL_CONFIG + "=" + isolation,
                    "results of aborted transactions would be read",
                    "Remove isolation.level, or choose delivery=at-least-once");
        }
    }
}
