package io.sluice.benchmarks.listener;

import io.sluice.benchmarks.listener.SideBySide.Place;
import io.sluice.benchmarks.listener.Subject.Running;
import java.time.Duration;
import java.util.List;

/// A stop in the middle of jobs, some just done, some much longer than its deadline: how long it takes, and what it leaves behind.
final class StopMeasure implements Measure {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    @Override
    public String name() {
        return "stop";
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public void take(int port, Pace pace, Results results) throws Exception {
        SideBySide.ask(List.of(Subject.values()), port, place -> stop(place, results));
    }

    private static void stop(Place place, Results results) throws Exception {
        int sent = 0;
        for (int i = 0; i < 10; i++) {
            place.queue().send(2, "heavy", 300, 300);
            place.queue().send(1, "heavy", 60_000, 60_000);
            sent += 3;
        }
        Running running = place.start(Subject.NOTHING);
        awaitMiddle(place.jobs());
        long began = System.nanoTime();
        running.stop(DEADLINE);
        results.add(Row.STOP, place.subject(), (System.nanoTime() - began) / 1e9);
        BenchQueue.Depth depth = place.queue().depth();
        results.add(Row.ORPHANS, place.subject(), depth.inFlight());
        int deleted = sent - depth.left();
        results.add(Row.AGAIN, place.subject(), Math.max(0, place.jobs().done.get() - deleted));
    }

    /// Until all slots have long jobs, behind some that are done.
    private static void awaitMiddle(Jobs jobs) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while ((jobs.running.get() < Place.SLOTS || jobs.done.get() < 2)
                && System.nanoTime() - end < 0) {
            Thread.sleep(10);
        }
    }
}
