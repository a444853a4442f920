package io.sluice.outbox.bench.measure;

import io.sluice.outbox.bench.Readings;
import io.sluice.outbox.bench.Readings.Figure;
import io.sluice.outbox.bench.stage.Contender;
import io.sluice.outbox.bench.stage.HostProcess;
import io.sluice.outbox.bench.stage.Observer;
import io.sluice.outbox.bench.stage.Scene;
import io.sluice.outbox.bench.stage.Stage;
import java.time.Duration;
import java.util.stream.IntStream;

/// A backlog, written while nobody published: how fast three relays get through it. The first fifth is warm-up. It is large enough for log mode to have
/// something to do for some ten seconds. A peer has half of it, and need not get to its end: its speed is known before.
public final class Sustained {
    private static final int PER_TRANSACTION = 1_000;
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final Duration OF_PEER = Duration.ofSeconds(30);

    private Sustained() {}

    public static void run(Stage stage, Contender contender, int backlog, Readings readings) {
        int events = contender.isDebezium() ? backlog / 2 : backlog;
        Scene scene = stage.scene(contender);
        try (Observer observer = new Observer(scene, events)) {
            scene.host(3, 0).close(); // So that slots are there before the events.
            scene.insert(0, events, PER_TRANSACTION);
            try (HostProcess host = scene.host(3, 0)) {
                host.go(events);
                boolean all = observer.await(events, contender.isDebezium() ? OF_PEER : LONGEST);
                // One alone would have no speed.
                Drain.require(all || (contender.isDebezium() && observer.arrived() > 1));
                if (!contender.isDebezium()) {
                    readings.add(
                            Figure.SUSTAINED_STATEMENTS,
                            contender,
                            host.stats().statements() * 1_000.0 / events);
                }
            }
            long[] arrivals =
                    IntStream.range(0, events)
                            .mapToLong(observer::arrivedAtNanos)
                            .filter(arrived -> arrived != 0)
                            .sorted()
                            .toArray();
            int first = arrivals.length / 5;
            int last = arrivals.length - 1;
            double seconds = (arrivals[last] - arrivals[first]) / 1e9;
            readings.add(Figure.EVENTS_PER_SECOND, contender, (last - first) / seconds);
            readings.add(Figure.EXCHANGED, contender, observer.exchanged());
        } finally {
            scene.clear();
        }
    }
}
