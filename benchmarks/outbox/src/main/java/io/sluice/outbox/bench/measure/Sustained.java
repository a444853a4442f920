package io.sluice.outbox.bench.measure;

import io.sluice.outbox.bench.Readings;
import io.sluice.outbox.bench.Readings.Figure;
import io.sluice.outbox.bench.stage.Contender;
import io.sluice.outbox.bench.stage.HostProcess;
import io.sluice.outbox.bench.stage.Observer;
import io.sluice.outbox.bench.stage.Scene;
import io.sluice.outbox.bench.stage.Stage;
import java.time.Duration;
import java.util.Arrays;

/// A backlog, written while nobody published: how fast three relays get through it. The first fifth is warm-up.
public final class Sustained {
    private static final int PER_TRANSACTION = 1_000;
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private Sustained() {}

    public static void run(Stage stage, Contender contender, int events, Readings readings) {
        Scene scene = stage.scene(contender);
        try (Observer observer = new Observer(scene, events)) {
            scene.host(3, 0).close(); // So that slots are there before the events.
            scene.insert(0, events, PER_TRANSACTION);
            try (HostProcess host = scene.host(3, 0)) {
                host.go(events);
                Drain.require(observer.await(events, LONGEST));
            }
            long[] arrivals = new long[events];
            for (int id = 0; id < events; id++) {
                arrivals[id] = observer.arrivedAtNanos(id);
            }
            Arrays.sort(arrivals);
            int first = events / 5;
            double seconds = (arrivals[events - 1] - arrivals[first]) / 1e9;
            readings.add(Figure.EVENTS_PER_SECOND, contender, (events - 1 - first) / seconds);
            readings.add(Figure.EXCHANGED, contender, observer.exchanged());
        } finally {
            scene.clear();
        }
    }
}
