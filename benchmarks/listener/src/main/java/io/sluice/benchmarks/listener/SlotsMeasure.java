package io.sluice.benchmarks.listener;

import io.sluice.benchmarks.listener.SideBySide.Place;
import io.sluice.benchmarks.listener.Subject.Running;
import java.time.Duration;
import java.util.List;

/// How many of 3 slots are busy on average, with an endless backlog of slow jobs, and how many messages wait inside of the process meanwhile.
final class SlotsMeasure implements Measure {
    private static final int LOOK_MILLIS = 50;

    @Override
    public String name() {
        return "busy";
    }

    @Override
    public int rounds() {
        return 3;
    }

    @Override
    public void take(int port, Pace pace, Results results) throws Exception {
        SideBySide.ask(
                List.of(Subject.values()),
                port,
                place -> {
                    place.queue().send(200, "heavy", pace.millis(1_000), pace.millis(6_000));
                    Running running = place.start(Subject.NOTHING);
                    try {
                        Thread.sleep(pace.millis(7_000));
                        look(place, pace, results);
                    } finally {
                        running.stop(Duration.ofSeconds(10));
                    }
                });
    }

    private static void look(Place place, Pace pace, Results results) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(pace.seconds(40)).toNanos();
        double busy = 0;
        long worst = 0;
        int looks = 0;
        while (System.nanoTime() - end < 0) {
            Thread.sleep(LOOK_MILLIS);
            busy += place.jobs().running.get();
            worst = Math.max(worst, place.queue().received.waiting());
            looks++;
        }
        results.add(Row.BUSY, place.subject(), 100 * busy / (looks * (double) Place.SLOTS));
        results.add(Row.WAITING, place.subject(), (double) worst);
    }
}
