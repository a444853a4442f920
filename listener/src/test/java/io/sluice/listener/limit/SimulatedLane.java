package io.sluice.listener.limit;

import io.sluice.listener.limit.Limit.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// A lane with an endless backlog in virtual time: jobs share a machine that the test describes, and the limit decides how many there are.
final class SimulatedLane {
    /// What so many jobs at once get done, each per second, relative to a job that is alone.
    interface Machine {
        double speed(int jobs);

        /// What the best number of jobs gets done in this time.
        default double best(Duration time) {
            double best = 0;
            for (int jobs = 1; jobs < 100; jobs++) {
                best = Math.max(best, jobs * speed(jobs));
            }
            return best * time.toSeconds();
        }

        /// Computes on so many cores. A job computes for 1 s, then waits for 0.25 s; from `knee` jobs on memory gets tight, and everybody slows down.
        static Machine computing(int cores, int knee) {
            return jobs -> {
                double runnable = jobs * 0.8;
                double share = Math.min(1, cores / runnable);
                double collecting = jobs <= knee ? 1 : Math.pow(0.8, jobs - knee);
                return share * collecting;
            };
        }

        /// Waits for a service that works on so many requests at once; the others stand in a line there.
        static Machine waitingForService(int capacity) {
            return jobs -> Math.min(1, (double) capacity / jobs);
        }
    }

    private final Machine machine;
    private final Limit limit;
    private final Random random;
    private final double meanSeconds;
    private final double spread;

    /// Fine enough that what a job's last step has too much does not count.
    private final double step;

    private final List<double[]> jobs = new ArrayList<>();
    private double now;
    private double windowBegan;
    private double busy;
    private double progress;
    private double jobSeconds;
    private long completed;
    private double meanJob;
    double total;
    Pressure pressure = Pressure.none();

    /// @param spread how much sizes differ: the coefficient of variation
    SimulatedLane(Machine machine, Limit limit, double meanSeconds, double spread, long seed) {
        this.machine = machine;
        this.limit = limit;
        this.meanSeconds = meanSeconds;
        this.spread = spread;
        this.step = meanSeconds / 100;
        this.random = new Random(seed);
        this.meanJob = meanSeconds;
    }

    /// Lets this much time pass.
    SimulatedLane run(Duration time) {
        double end = now + time.toNanos() / 1e9;
        double lastTick = now;
        while (now < end) {
            step();
            if (now - lastTick >= 1) {
                lastTick = now;
                tick();
            }
        }
        return this;
    }

    private void step() {
        while (jobs.size() < limit.current()) {
            // Work left, total work, time of beginning.
            double work = size();
            jobs.add(new double[] {work, work, now});
        }
        double done = machine.speed(jobs.size()) * step;
        now += step;
        if (now > windowBegan) {
            busy += jobs.size() * step;
        }
        for (double[] job : jobs) {
            job[0] -= done;
            total += done;
            if (limit.progress() == Progress.CPU) {
                progress += done;
            }
        }
        jobs.removeIf(this::ended);
    }

    private boolean ended(double[] job) {
        if (job[0] > 0) {
            return false;
        }
        completed++;
        jobSeconds += now - job[2];
        meanJob += 0.2 * (now - job[2] - meanJob);
        return true;
    }

    /// Log-normal.
    private double size() {
        double variance = Math.log(1 + spread * spread);
        return meanSeconds * Math.exp(random.nextGaussian() * Math.sqrt(variance) - variance / 2);
    }

    private void tick() {
        if (now <= windowBegan) {
            return;
        }
        int before = limit.current();
        double length = now - windowBegan;
        var window =
                new Window(
                        seconds(length),
                        before,
                        Math.min(1, busy / (length * before)),
                        limit.progress() == Progress.CPU ? progress : busy * completed / jobSeconds,
                        completed,
                        0,
                        completed == 0 ? Duration.ZERO : seconds(jobSeconds / completed),
                        pressure);
        if (!limit.enough(window)) {
            return;
        }
        limit.on(window);
        boolean moved = limit.current() != before;
        windowBegan = now + (moved ? (limit.progress() == Progress.CPU ? 1 : meanJob) : 0);
        busy = 0;
        progress = 0;
        completed = 0;
        jobSeconds = 0;
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }
}
