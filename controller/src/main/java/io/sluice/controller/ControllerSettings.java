package io.sluice.controller;

import io.sluice.settings.Settings;
import java.time.Duration;
import java.util.Map;

/// How the cluster is looked after. Immutable.
///
/// @param commitBytes what is written in one commit; the metadata store has a limit of its own above this
public record ControllerSettings(
        Duration heartbeatInterval,
        Duration heartbeatTimeout,
        Duration replaceAfter,
        Duration balanceInterval,
        int movesAtATime,
        int commitBytes) {
    private static final int COMMIT_BYTES = 512 * 1024;

    public static ControllerSettings from(Settings s) {
        return new ControllerSettings(
                s.duration(
                        "cluster.heartbeat-interval",
                        "500ms",
                        Duration.ofMillis(10),
                        "How often a broker tells the controller that it lives."),
                s.duration(
                        "cluster.heartbeat-timeout",
                        "3s",
                        Duration.ofMillis(50),
                        "A broker that was not heard of for so long leads nothing any more. One whose process is gone is noticed at once."),
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
                COMMIT_BYTES);
    }

    public static ControllerSettings defaults() {
        return from(new Settings(Map.of()));
    }
}
