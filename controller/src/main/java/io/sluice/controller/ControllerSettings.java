package io.sluice.controller;

import io.sluice.settings.InvalidSetting;
import io.sluice.settings.Quantities;
import io.sluice.settings.Settings;
import java.time.Duration;
import java.util.Map;

/// How the cluster is looked after. Immutable.
///
/// @param moveBytesPerSecond 0 for no limit
/// @param commitBytes what is written in one commit; the metadata store has a limit of its own above this
public record ControllerSettings(
        Duration heartbeatInterval,
        Duration heartbeatTimeout,
        Duration replaceAfter,
        Duration balanceInterval,
        int movesAtATime,
        long moveBytesPerSecond,
        int commitBytes) {
    private static final int COMMIT_BYTES = 512 * 1024;
    private static final String INTERVAL = "cluster.heartbeat-interval";
    private static final String TIMEOUT = "cluster.heartbeat-timeout";
    private static final int SIGNS_IN_A_TIMEOUT = 3;

    /// Without a limit for moves.
    public ControllerSettings(
            Duration heartbeatInterval,
            Duration heartbeatTimeout,
            Duration replaceAfter,
            Duration balanceInterval,
            int movesAtATime,
            int commitBytes) {
        this(
                heartbeatInterval,
                heartbeatTimeout,
                replaceAfter,
                balanceInterval,
                movesAtATime,
                0,
                commitBytes);
    }

    public static ControllerSettings from(Settings s) {
        Duration interval =
                s.duration(
                        INTERVAL,
                        "500ms",
                        Duration.ofMillis(10),
                        "How often a broker tells the controller that it lives. At most a third of cluster.heartbeat-timeout.");
        Duration timeout =
                s.duration(
                        TIMEOUT,
                        "3s",
                        Duration.ofMillis(50),
                        "A broker that was not heard of for so long leads nothing any more. One whose process is gone is noticed at once.");
        refuseTooSeldom(interval, timeout);
        return new ControllerSettings(
                interval,
                timeout,
                s.duration(
                        "cluster.replace-after",
                        "10m",
                        Duration.ofSeconds(1),
                        "Replicas of a broker that stays away for so long are made anew on the others."),
                s.duration(
                        "cluster.balance-interval",
                        "5m",
                        Duration.ofSeconds(1),
                        "How often leadership goes back to the first replica of each partition."),
                s.integer(
                        "cluster.moves-at-a-time",
                        20,
                        1,
                        100_000,
                        "Partitions whose replicas move at the same time; the others wait."),
                s.size(
                        "cluster.move-bytes-per-second",
                        "50MiB",
                        0,
                        "How many bytes per second this broker copies for replicas that move to it, at most; 0 for no limit. Replicas that were there before are not held back. sluice rebalance --throttle sets another limit for all brokers."),
                COMMIT_BYTES);
    }

    /// With fewer signs of life in a time-out, brokers that are only a little late are held for dead, and are never certain of their own place.
    private static void refuseTooSeldom(Duration interval, Duration timeout) {
        if (interval.multipliedBy(SIGNS_IN_A_TIMEOUT).compareTo(timeout) > 0) {
            throw new InvalidSetting(
                    INTERVAL,
                    "Setting '"
                            + INTERVAL
                            + "' is "
                            + Quantities.formatDuration(interval)
                            + ", which is more than a third of '"
                            + TIMEOUT
                            + "' ("
                            + Quantities.formatDuration(timeout)
                            + "): brokers that live would be held for dead. Make the interval "
                            + Quantities.formatDuration(timeout.dividedBy(SIGNS_IN_A_TIMEOUT))
                            + " or less, or the time-out "
                            + Quantities.formatDuration(interval.multipliedBy(SIGNS_IN_A_TIMEOUT))
                            + " or more.");
        }
    }

    public static ControllerSettings defaults() {
        return from(new Settings(Map.of()));
    }
}
