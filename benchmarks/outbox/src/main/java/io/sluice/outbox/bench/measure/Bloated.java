package io.sluice.outbox.bench.measure;

import io.sluice.outbox.bench.Readings;
import io.sluice.outbox.bench.Readings.Figure;
import io.sluice.outbox.bench.stage.Contender;
import io.sluice.outbox.bench.stage.HostProcess;
import io.sluice.outbox.bench.stage.Observer;
import io.sluice.outbox.bench.stage.Scene;
import io.sluice.outbox.bench.stage.Stage;
import java.time.Duration;

/// A table full of dead rows that vacuum may not touch, as a relay that updates and deletes leaves it, or a long transaction keeps it: 10,000
/// events are committed behind them and published by three relays.
public final class Bloated {
    private static final int EVENTS = 10_000;

    private Bloated() {}

    public static void run(Stage stage, Contender contender, long deadRows, Readings readings) {
        Scene scene = stage.scene(contender);
        scene.bloat(deadRows);
        try (Observer observer = new Observer(scene, EVENTS);
                HostProcess host = scene.host(3, 0)) {
            long began = scene.insert(0, EVENTS, EVENTS);
            host.go(EVENTS);
            Drain.require(observer.await(EVENTS, Duration.ofSeconds(90)));
            long last = 0;
            for (int id = 0; id < EVENTS; id++) {
                last = Math.max(last, observer.arrivedAtNanos(id));
            }
            readings.add(Figure.BLOATED_MILLIS, contender, (last - began) / 1e6);
            readings.add(Figure.EXCHANGED, contender, observer.exchanged());
        } finally {
            scene.clear();
        }
    }
}
