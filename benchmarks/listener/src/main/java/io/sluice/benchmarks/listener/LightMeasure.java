package io.sluice.benchmarks.listener;

import io.sluice.benchmarks.listener.SideBySide.Place;
import io.sluice.benchmarks.listener.Subject.Running;
import java.time.Duration;
import java.util.List;

/// How much longer light messages take while heavy ones wait by the hundred.
final class LightMeasure implements Measure {
    private static final int EVERY_MILLIS = 25;
    private static final int HEAVY = 400;

    /// Those that have not come by then have taken at least that long.
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Override
    public String name() {
        return "light";
    }

    @Override
    public int rounds() {
        return 2;
    }

    /// Sluice by itself, because milliseconds count; the others side by side, because they take long.
    @Override
    public void take(int port, Pace pace, Results results) throws Exception {
        for (List<Subject> subjects :
                List.of(
                        List.of(Subject.SLUICE),
                        List.of(
                                Subject.SEED,
                                Subject.DEFAULT_POOL,
                                Subject.TUNED,
                                Subject.DROP_IN))) {
            SideBySide.ask(
                    subjects,
                    port,
                    place -> {
                        Subject subject = place.subject();
                        // Whoever has its turn first would pay for classes that are loaded and code
                        // that is compiled, and look good when it is asked again.
                        double _ = p99(place, pace, 0);
                        double idle = p99(place.cleared(), pace, 0);
                        results.add(Row.LIGHT_IDLE, subject, idle);
                        double saturated = p99(place.cleared(), pace, pace.jobs(HEAVY));
                        results.add(Row.LIGHT_SATURATED, subject, saturated);
                        results.add(Row.LIGHT, subject, saturated / idle);
                    });
        }
    }

    private static double p99(Place place, Pace pace, int heavy) throws InterruptedException {
        BenchQueue queue = place.queue();
        Jobs jobs = place.jobs();
        if (heavy > 0) {
            queue.send(heavy, "heavy", 1_000, 6_000);
        }
        Running running = place.start(Subject.NOTHING);
        try {
            if (heavy > 0) {
                Thread.sleep(3_000); // until they have taken all they can
            }
            // The first ones pay for connections and threads.
            send(queue, 40, "warm");
            int lights = pace.seconds(10) * 1_000 / EVERY_MILLIS;
            send(queue, lights, "light");
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (jobs.count("light") < lights && System.nanoTime() - end < 0) {
                Thread.sleep(EVERY_MILLIS);
            }
            return jobs.count("light") == lights ? jobs.p99("light") : (double) PATIENCE.toMillis();
        } finally {
            running.stop(Duration.ofSeconds(5));
        }
    }

    private static void send(BenchQueue queue, int count, String type) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            queue.send(1, type, 0, 0);
            Thread.sleep(EVERY_MILLIS);
        }
    }
}
