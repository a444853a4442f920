package io.sluice.chaos.campaign;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// One fault that happened, and what it did to those who were watching.
///
/// `gap` is the longest time without an acknowledgement on a partition that the fault is judged by, `whole` the time from the healing until every replica was in sync
/// again (absent when that did not happen in time), `unanswered` how many messages were given up by producers.
///
/// Immutable.
public record Incident(
        int number,
        String kind,
        String story,
        Duration gap,
        @Nullable Duration whole,
        int unanswered) {

    String line() {
        return String.format(
                Locale.ROOT,
                "#%d %s: %s; gap %s, whole %s%s",
                number,
                kind,
                story,
                seconds(gap),
                whole == null ? "NOT in time" : "after " + seconds(whole),
                unanswered == 0 ? "" : "; " + unanswered + " messages given up");
    }

    static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.2f s", duration.toNanos() / 1e9);
    }
}
