package io.sluice.benchmarks.listener;

import io.sluice.benchmarks.listener.SideBySide.Place;
import io.sluice.benchmarks.listener.Subject.Running;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/// How many of 3 slots no longer work after the executor has refused every second job for a while.
final class RejectionsMeasure implements Measure {
    private static final int LOOK_MILLIS = 50;

    /// Nothing offered for so long: the listener has come to a standstill.
    private static final Duration STUCK = Duration.ofSeconds(12);

    @Override
    public String name() {
        return "lost";
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public void take(int port, Pace pace, Results results) throws Exception {
        // A pool of Spring Cloud AWS's own cannot be made to refuse.
        List<Subject> subjects =
                List.of(Subject.SLUICE, Subject.SEED, Subject.TUNED, Subject.DROP_IN);
        SideBySide.ask(
                subjects, port, place -> results.add(Row.LOST, place.subject(), lost(place, pace)));
    }

    private static double lost(Place place, Pace pace) throws InterruptedException {
        var refused = new AtomicInteger();
        var offered = new AtomicInteger();
        int wanted = pace.rejections();
        UnaryOperator<Executor> refusing =
                executor ->
                        job -> {
                            if (offered.incrementAndGet() % 2 == 0 && refused.get() < wanted) {
                                refused.incrementAndGet();
                                throw new RejectedExecutionException("forced");
                            }
                            executor.execute(job);
                        };
        place.queue().send(wanted + 10 * Place.SLOTS, "heavy", 0, 0);
        Running running = place.start(refusing);
        try {
            awaitRefusals(offered, refused, wanted);
            place.queue().purge();
            place.queue().send(20 * Place.SLOTS, "heavy", 2_000, 2_000);
            int most = 0;
            for (int i = 0; i < 15_000 / LOOK_MILLIS; i++) {
                Thread.sleep(LOOK_MILLIS);
                most = Math.max(most, place.jobs().running.get());
            }
            return Place.SLOTS - most;
        } finally {
            running.stop(Duration.ofSeconds(10));
        }
    }

    private static void awaitRefusals(AtomicInteger offered, AtomicInteger refused, int wanted)
            throws InterruptedException {
        int before = -1;
        long since = System.nanoTime();
        while (refused.get() < wanted && System.nanoTime() - since < STUCK.toNanos()) {
            if (offered.get() != before) {
                before = offered.get();
                since = System.nanoTime();
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }
}
