package io.sluice.listener.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Goes through 1, 2, 3 … jobs at once and measures each, instead of the lane's own limit for as long as a calibration lasts.
///
/// Ends early when a guard says that the machine is at its end, or when progress has clearly been falling: numbers beyond that are no answer.
///
/// Owned by its lane, called under its lock. Pure.
public final class CalibratingLimit implements Limit {
    private static final double CLEARLY_WORSE = 0.85;
    private static final int FALLING = 3;

    private final int greatest;
    private final Progress progress;
    private final Duration window;
    private final int jobs;
    private final CompletableFuture<Curve> result = new CompletableFuture<>();
    private final List<Curve.Point> points = new ArrayList<>();
    private int current = 1;
    private int falling;
    private @Nullable String ended;

    /// @param window how long to measure each number at least
    /// @param jobs how many jobs each measurement needs at least
    public CalibratingLimit(int greatest, Progress progress, Duration window, int jobs) {
        Bounds.requireInside(1, greatest);
        this.greatest = greatest;
        this.progress = progress;
        this.window = window;
        this.jobs = jobs;
    }

    @Override
    public int current() {
        return current;
    }

    @Override
    public int greatest() {
        return greatest;
    }

    @Override
    public Progress progress() {
        return progress;
    }

    @Override
    public boolean enough(Window measured) {
        return measured.pressure().concerns(progress)
                || (measured.saturated() && Limit.enough(measured, window, jobs));
    }

    @Override
    public void on(Window measured) {
        if (ended != null || measured.limit() != current) {
            return;
        }
        if (measured.pressure().concerns(progress)) {
            end("ended at " + current + ": " + measured.pressure().why());
            return;
        }
        points.add(new Curve.Point(current, measured.rate(), measured.meanJobTime()));
        double best = points.stream().mapToDouble(Curve.Point::rate).max().orElse(0);
        falling = measured.rate() < CLEARLY_WORSE * best ? falling + 1 : 0;
        if (falling == FALLING) {
            end("ended at " + current + ": progress has been falling");
        } else if (current == greatest) {
            end("measured 1 to " + greatest);
        } else {
            current++;
        }
    }

    /// The curve, once it is complete.
    public CompletableFuture<Curve> result() {
        return result;
    }

    private void end(String how) {
        ended = how;
        if (points.isEmpty()) {
            result.completeExceptionally(
                    new IllegalStateException("Nothing could be measured: " + how));
        } else {
            result.complete(new Curve(points, how));
        }
    }

    @Override
    public void set(int limit) {
        throw new IllegalArgumentException(
                "The lane is being calibrated; its limit can be set afterwards.");
    }

    @Override
    public String reason() {
        return ended == null ? "is being calibrated, measures " + current + " now" : ended;
    }
}
