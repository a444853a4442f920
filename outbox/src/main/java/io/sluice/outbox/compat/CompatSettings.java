package io.sluice.outbox.compat;

import io.sluice.outbox.lanes.Backoff;
import java.time.Duration;
import java.util.Map;

/// The document's settings, `app.outbox.relay.*`, with its defaults.
///
/// Immutable.
///
/// @param batchSize most events claimed at once
/// @param fixedDelay longest pause between two looks at the table
/// @param timeout for sending a batch
/// @param backoff waits before a failed event is tried again
/// @param slowProcessing a batch that takes longer is reported
/// @param instanceId this instance, from 0
/// @param totalInstances how many instances share the work
public record CompatSettings(
        int batchSize,
        Duration fixedDelay,
        Duration timeout,
        Backoff backoff,
        Duration slowProcessing,
        int instanceId,
        int totalInstances) {
    public static final String INSTANCE_ID = "RELAY_INSTANCE_ID";
    public static final String TOTAL_INSTANCES = "RELAY_TOTAL_INSTANCES";

    public static final String PREFIX = "app.outbox.relay.";

    private static final Duration LONGEST = Duration.ofHours(1);

    public CompatSettings {
        require(totalInstances >= 1, TOTAL_INSTANCES, totalInstances, "at least 1");
        require(
                instanceId >= 0 && instanceId < totalInstances,
                INSTANCE_ID,
                instanceId,
                "from 0 to %d, since %s is %d"
                        .formatted(totalInstances - 1, TOTAL_INSTANCES, totalInstances));
        require(batchSize >= 1, PREFIX + "batchSize", batchSize, "at least 1");
        // The lease is a multiple of it: with none, two would claim the same event at once.
        require(
                timeout.toSeconds() >= 1 && timeout.compareTo(LONGEST) <= 0,
                PREFIX + "timeoutSeconds",
                timeout.toSeconds(),
                "from 1 to " + LONGEST.toSeconds());
        require(
                fixedDelay.toMillis() >= 1,
                PREFIX + "fixedDelayMs",
                fixedDelay.toMillis(),
                "at least 1");
        require(
                backoff.first().toMillis() >= 1,
                PREFIX + "baseBackoffMs",
                backoff.first().toMillis(),
                "at least 1");
        require(
                backoff.longest().compareTo(backoff.first()) >= 0,
                PREFIX + "maxBackoffMs",
                backoff.longest().toMillis(),
                "at least baseBackoffMs, which is " + backoff.first().toMillis());
    }

    /// @param environment `RELAY_INSTANCE_ID` and `RELAY_TOTAL_INSTANCES`
    /// @param properties `app.outbox.relay.*`
    public static CompatSettings of(
            Map<String, String> environment, Map<String, String> properties) {
        return new CompatSettings(
                number(properties, PREFIX + "batchSize", 500),
                millis(properties, "fixedDelayMs", 1_000),
                Duration.ofSeconds(number(properties, PREFIX + "timeoutSeconds", 10)),
                new Backoff(
                        millis(properties, "baseBackoffMs", 5_000),
                        millis(properties, "maxBackoffMs", 600_000)),
                millis(properties, "slowProcessingThresholdMs", 3_000),
                number(environment, INSTANCE_ID, number(properties, PREFIX + "instanceId", 0)),
                number(
                        environment,
                        TOTAL_INSTANCES,
                        number(properties, PREFIX + "totalInstances", 1)));
    }

    private static Duration millis(Map<String, String> properties, String name, int otherwise) {
        return Duration.ofMillis(number(properties, PREFIX + name, otherwise));
    }

    private static int number(Map<String, String> from, String name, int otherwise) {
        String text = from.get(name);
        if (text == null || text.isBlank()) {
            return otherwise;
        }
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "%s=%s: it must be a whole number".formatted(name, text), e);
        }
    }

    private static void require(boolean holds, String name, Object value, String bound) {
        if (!holds) {
            throw new IllegalArgumentException(
                    "%s=%s: it must be %s".formatted(name, value, bound));
        }
    }
}
