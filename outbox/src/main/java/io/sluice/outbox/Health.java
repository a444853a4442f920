package io.sluice.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Whether events flow, and if not, why, in sentences.
///
/// Immutable.
///
/// @param reasons also what somebody should know though events flow
public record Health(boolean up, List<String> reasons) {
    static final Duration UNCOVERED = Duration.ofSeconds(10);

    public Health {
        reasons = List.copyOf(reasons);
    }

    /// @param uncoveredFor how long some lane has had no owner
    /// @param trouble why database or broker cannot be reached
    /// @param stopped lanes that wait for a setting to be changed
    public static Health of(
            Duration uncoveredFor, @Nullable String trouble, Map<Integer, String> stopped) {
        List<String> reasons = new ArrayList<>();
        if (uncoveredFor.compareTo(UNCOVERED) > 0) {
            reasons.add(
                    "Some lanes have had no relay for %d s: their events wait"
                            .formatted(uncoveredFor.toSeconds()));
        }
        if (trouble != null) {
            reasons.add("Nothing can be published: " + trouble);
        }
        stopped.values().stream()
                .distinct()
                .forEach(reason -> reasons.add("Lanes have stopped: " + reason));
        return new Health(reasons.isEmpty(), reasons);
    }

    /// Events flow as they did; somebody should do something all the same.
    Health withWarning(String sentence) {
        List<String> more = new ArrayList<>(reasons);
        more.add(sentence);
        return new Health(up, more);
    }
}
