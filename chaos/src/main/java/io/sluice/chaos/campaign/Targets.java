package io.sluice.chaos.campaign;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How long a partition may be without acknowledgements, by kind of fault; what has no line has no target but that nothing is lost.
final class Targets {
    /// `median` may be absent: then only the longest counts.
    record Target(@Nullable Duration median, Duration longest) {
        boolean isMet(Duration seenMedian, Duration seenLongest) {
            return (median == null || seenMedian.compareTo(median) <= 0)
                    && seenLongest.compareTo(longest) <= 0;
        }

        @Override
        public String toString() {
            String most = "≤ " + longest.toMillis() / 1e3 + " s";
            return median == null ? most : "median ≤ " + median.toMillis() / 1e3 + " s, " + most;
        }
    }

    private static final Target KILLED = new Target(Duration.ofSeconds(1), Duration.ofSeconds(3));
    private static final Target KILLED_CONTROLLER = new Target(null, Duration.ofSeconds(4));
    private static final Target STOPPED = new Target(null, Duration.ofMillis(300));
    private static final Target SILENT = new Target(null, Duration.ofSeconds(5));

    private static final Map<String, Target> BY_KIND =
            Map.ofEntries(
                    Map.entry("kill-leader", KILLED),
                    Map.entry("kill-controller", KILLED_CONTROLLER),
                    Map.entry("kill-leading-controller", KILLED_CONTROLLER),
                    Map.entry("restart-leader", STOPPED),
                    Map.entry("restart-controller", STOPPED),
                    Map.entry("pause-leader", SILENT),
                    Map.entry("pause-controller", SILENT),
                    Map.entry("pause-follower", SILENT),
                    Map.entry("isolate-leader", SILENT),
                    Map.entry("isolate-leader-wholly", SILENT),
                    Map.entry("isolate-leader-outgoing", SILENT),
                    Map.entry("isolate-leader-incoming", SILENT));

    private Targets() {}

    static @Nullable Target of(String kind) {
        return BY_KIND.get(kind);
    }
}
