package io.sluice.listener.limit;

import io.sluice.listener.limit.Limit.Progress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What a lane got done in a stretch of time during which its limit did not change.
///
/// Immutable.
///
/// @param limit the slots there were
/// @param saturation how many of them were taken on average, as a share
/// @param progress useful work done, in whatever unit, but always the same
/// @param completed jobs that ended well
/// @param failed jobs that did not
/// @param meanJobTime of those that ended; zero when none did
/// @param pressure why the machine cannot take more, or none
public record Window(
        Duration length,
        int limit,
        double saturation,
        double progress,
        long completed,
        long failed,
        Duration meanJobTime,
        Pressure pressure) {

    /// From here on a lane counts as full, and its progress says something about its limit.
    public static final double SATURATED = 0.9;

    public boolean saturated() {
        return saturation >= SATURATED;
    }

    /// Useful work per second.
    public double rate() {
        double seconds = length.toNanos() / 1e9;
        return seconds > 0 ? progress / seconds : 0;
    }

    public double errorRate() {
        return completed + failed == 0 ? 0 : (double) failed / (completed + failed);
    }

    /// Why fewer jobs have to run, for a limit that measures this progress: the machine is at its end, or more than this share of the jobs fail. None when all is
    /// well.
    @Nullable String alarm(Progress measured, double mostErrors) {
        if (pressure.concerns(measured)) {
            return pressure.why();
        }
        return errorRate() > mostErrors
                ? "%.0f %% of the jobs fail".formatted(100 * errorRate())
                : null;
    }
}
