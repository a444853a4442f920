package io.sluice.listener.limit;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/// Finds the smallest number of jobs at which the lane gets (nearly) as much done as at the best number: where the curve of progress over
/// concurrency flattens. More jobs than that only cost memory.
///
/// ```
///  progress     ╭───────────╮            measures the window at n, then
///       │     ╭─╯           ╰──          · looks a quarter further up, as long as that brings more than the tolerance
///       │   ╭─╯ ▲ here                   · halves the gap below, until the number under it is measurably worse
///       │ ╭─╯                            · stays, and looks again when what it knows has grown old
///       ╰──────────────────── jobs
/// ```
/// A guard (memory, CPU pressure, failures) takes it down at once, and it stays below that number for a while. Why not by response time, as
/// for requests: a lane with a backlog is always full, so its jobs' times contain the very contention one looks for, and sizes differ more
/// than load does.
///
/// Owned by its lane, called under its lock. Pure: time is counted in windows.
public final class PlateauLimit implements Limit {
    private static final double UP = 1.25;
    private static final double DOWN = 0.75;
    private static final double NEWEST_WEIGHT = 0.5;

    /// In windows: what was measured before counts no more than this against what is measured now.
    private static final int LONGEST_MEMORY = 4;

    /// A rate at the same number that has moved by more than this share says that the work itself has changed.
    private static final double NEW_PROFILE = 0.4;

    /// @param first where it begins
    /// @param greatest never more than this
    /// @param tolerance how much progress may be given away for fewer jobs, as a share
    /// @param window how long to measure at least
    /// @param jobs how many jobs a window needs at least, when progress is counted in jobs
    /// @param remembers for how many windows a measurement counts
    /// @param errorRate above this share of failures it goes down
    public record Settings(
            int first,
            int greatest,
            Progress progress,
            double tolerance,
            Duration window,
            int jobs,
            int remembers,
            double errorRate) {
        public Settings {
            Bounds.requireInside(first, greatest);
            if (!(tolerance > 0 && tolerance < 0.5)) {
                throw new IllegalArgumentException(
                        "The tolerance is a share from 0 to 0.5, for example 0.05, not "
                                + tolerance);
            }
            if (remembers < 5) {
                throw new IllegalArgumentException(
                        "Measurements have to count for at least 5 windows, not " + remembers);
            }
        }

        /// For work that computes on the lane's own threads.
        public static Settings cpu(int first, int greatest) {
            return new Settings(
                    first, greatest, Progress.CPU, 0.05, Duration.ofSeconds(10), 0, 60, 0.5);
        }

        /// For everything else: counts finished jobs, so it needs many in each window. Jobs that say their [size][io.sluice.listener.lane.Job#size]
        /// differ less, and need fewer.
        public static Settings work(int first, int greatest) {
            return new Settings(
                    first, greatest, Progress.WORK, 0.05, Duration.ofSeconds(10), 200, 60, 0.5);
        }
    }

    /// How much jobs are taken to differ, as a share of their mean: what a measurement may be wrong by follows from it.
    private static final double SPREAD = 0.5;

    private static final class Measurement {
        double rate;
        double error;
        long jobs;
        int age;

        /// What it is without luck: among many measurements the best is mostly a lucky one.
        double atLeast() {
            return rate * (1 - error);
        }
    }

    private final Settings settings;
    private final TreeMap<Integer, Measurement> measured = new TreeMap<>();
    private int current;
    private int ceiling;
    private int ceilingWindows;

    /// Whether the place has been found and only has to be watched.
    private boolean settled;

    private String reason = "has not measured yet";

    public PlateauLimit(Settings settings) {
        this.settings = settings;
        this.current = settings.first();
        this.ceiling = settings.greatest();
    }

    @Override
    public int current() {
        return current;
    }

    @Override
    public int greatest() {
        return settings.greatest();
    }

    @Override
    public Progress progress() {
        return settings.progress();
    }

    @Override
    public boolean enough(Window window) {
        return window.pressure().concerns(settings.progress())
                || Limit.enough(window, settings.window(), settings.jobs());
    }

    @Override
    public void on(Window window) {
        if (ceilingWindows > 0 && --ceilingWindows == 0) {
            ceiling = settings.greatest();
        }
        String alarm = window.alarm(settings.progress(), settings.errorRate());
        if (alarm != null) {
            retreat(alarm);
        } else if (!window.saturated()) {
            reason = "stays at " + current + ": the lane is not full, so there is nothing to learn";
        } else if (window.limit() == current) {
            learn(window);
            decide();
        }
    }

    private void retreat(String why) {
        int before = current;
        current = Math.max(1, Math.min(current - 1, (int) (current * DOWN)));
        ceiling = current;
        ceilingWindows = settings.remembers() / 2;
        settled = false;
        measured.tailMap(before, true).clear();
        reason = "went down from " + before + " to " + current + ": " + why;
    }

    private void learn(Window window) {
        measured.values().forEach(measurement -> measurement.age++);
        measured.values().removeIf(measurement -> measurement.age > settings.remembers());
        Measurement known = measured.get(current);
        if (known != null && Math.abs(window.rate() - known.rate) > NEW_PROFILE * known.rate) {
            // This window is half old, half new, and says nothing about either.
            measured.clear();
            settled = false;
            return;
        }
        Measurement here = measured.computeIfAbsent(current, jobs -> new Measurement());
        long jobs = window.completed();
        double weight =
                settings.progress() == Progress.CPU || here.jobs == 0
                        ? (here.rate == 0 ? 1 : NEWEST_WEIGHT)
                        : (double) jobs / (here.jobs + jobs);
        here.rate += weight * (window.rate() - here.rate);
        here.jobs = Math.min(here.jobs + jobs, LONGEST_MEMORY * (long) settings.jobs());
        here.error =
                settings.progress() == Progress.CPU
                        ? 0
                        : SPREAD / Math.sqrt(Math.max(1.0, (double) here.jobs));
        here.age = 0;
    }

    private void decide() {
        if (measured.isEmpty()) {
            reason = "stays at " + current + ": the work has changed, measures anew";
            return;
        }
        int best = best();
        int good = smallestAsGoodAs(best);
        int further = Math.min(ceiling, Math.max(good + 1, (int) Math.round(good * UP)));
        Integer above = measured.higherKey(good);
        Integer below = measured.lowerKey(good);
        int gap = good - (below == null ? 0 : below);
        if (further > good && above == null) {
            move(further, "looks whether " + further + " get more done than " + good);
        } else if (gap > 1) {
            // Once the place is known, a look one step down is enough; half as many jobs would cost
            // half a window's work.
            int middle = settled ? good - 1 : good - gap / 2;
            move(middle, "looks whether " + middle + " get as much done as " + good);
        } else if (best != good && ageOf(best) > settings.remembers() / 6) {
            move(best, "looks whether " + best + " are still the best");
        } else {
            settled = true;
            move(
                    good,
                    "%d is the smallest number within %.0f %% of the best measured progress (at %d)"
                            .formatted(good, 100 * settings.tolerance(), best));
        }
    }

    private int ageOf(int jobs) {
        Measurement measurement = measured.get(jobs);
        return measurement == null ? 0 : measurement.age;
    }

    private void move(int to, String why) {
        current = to;
        reason = why;
    }

    private int best() {
        return measured.entrySet().stream()
                .max(Map.Entry.comparingByValue((a, b) -> Double.compare(a.atLeast(), b.atLeast())))
                .orElseThrow()
                .getKey();
    }

    private int smallestAsGoodAs(int best) {
        Measurement peak = measured.get(best);
        double wanted = peak == null ? 0 : (1 - settings.tolerance()) * peak.atLeast();
        return measured.entrySet().stream()
                .filter(entry -> entry.getValue().rate >= wanted)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    @Override
    public void set(int limit) {
        Bounds.requireInside(limit, settings.greatest());
        current = limit;
        settled = false;
        measured.clear();
        reason = "set to " + limit + " by hand";
    }

    @Override
    public String reason() {
        return reason;
    }
}
