package io.sluice.outbox.bench.measure;

import io.sluice.outbox.bench.Readings;
import io.sluice.outbox.bench.Readings.Figure;
import io.sluice.outbox.bench.stage.Contender;
import io.sluice.outbox.bench.stage.HostProcess;
import io.sluice.outbox.bench.stage.HostProcess.Stats;
import io.sluice.outbox.bench.stage.Observer;
import io.sluice.outbox.bench.stage.Scene;
import io.sluice.outbox.bench.stage.Stage;
import java.time.Duration;

/// The document's measurement: 10,000 events are committed at once; three instances publish them. Each contender has published 30,000 before, 3,000 at a time.
public final class Drain {
    /// Relays run for months: what is measured is not one whose JVM is a few seconds old, and compiles more than it publishes.
    private static final int WARM_UPS = 10;

    private static final int WARM_UP = 3_000;
    private static final int BEFORE = WARM_UPS * WARM_UP;
    private static final int EVENTS = 10_000;
    private static final int INSTANCES = 3;
    private static final Duration LONGEST = Duration.ofSeconds(90);

    private Drain() {}

    public static void run(Stage stage, Contender contender, Readings readings) {
        Scene scene = stage.scene(contender);
        try (Observer observer = new Observer(scene, BEFORE + EVENTS);
                HostProcess host = scene.host(INSTANCES, 0)) {
            for (int from = 0; from < BEFORE; from += WARM_UP) {
                scene.insert(from, WARM_UP, WARM_UP);
                host.go(WARM_UP);
                require(observer.await(from + WARM_UP, LONGEST));
                awaitMarked(host, from + WARM_UP);
            }
            Scene.pause(300);
            Stats before = host.stats();
            long began = scene.insert(BEFORE, EVENTS, EVENTS);
            host.go(EVENTS);
            require(observer.await(BEFORE + EVENTS, LONGEST));
            long last = 0;
            for (int id = BEFORE; id < BEFORE + EVENTS; id++) {
                last = Math.max(last, observer.arrivedAtNanos(id));
            }
            awaitMarked(host, BEFORE + EVENTS);
            Scene.pause(200);
            Stats after = host.stats();
            readings.add(Figure.DRAIN_MILLIS, contender, (last - began) / 1e6);
            readings.add(Figure.EXCHANGED, contender, observer.exchanged());
            if (!contender.isDebezium()) {
                readings.add(
                        Figure.STATEMENTS,
                        contender,
                        (double) (after.statements() - before.statements()));
                readings.add(
                        Figure.EMPTY_POLLS,
                        contender,
                        (double) (after.emptyPolls() - before.emptyPolls()));
                readings.add(Figure.SHARE_OFF_PERCENT, contender, offEven(before, after));
            }
        } finally {
            scene.clear();
        }
    }

    /// How far the share of the worst is from even, in percent of an even share.
    private static double offEven(Stats before, Stats after) {
        double even = (double) EVENTS / INSTANCES;
        double worst = 0;
        for (int i = 0; i < after.published().size(); i++) {
            long share = after.published().get(i) - before.published().get(i);
            worst = Math.max(worst, Math.abs(share - even) / even);
        }
        return worst * 100;
    }

    private static void awaitMarked(HostProcess host, long events) {
        while (host.stats().total() < events) {
            Scene.pause(20);
        }
    }

    static void require(boolean came) {
        if (!came) {
            throw new IllegalStateException("not all events came");
        }
    }
}
