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

/// The document's measurement: 10,000 events are committed at once; three instances publish them. Each contender has done the same again and again before, as long as
/// any other, and is then measured some times.
///
/// Relays run for months: what is measured is not one whose JVM is a few seconds old, and compiles more than it publishes. Nor is it warm by fewer events at a time,
/// which are a single page for each instance.
public final class Drain {
    private static final int EVENTS = 10_000;
    private static final int INSTANCES = 3;

    /// Their JVMs still compile after half a minute, on two processors.
    private static final Duration WARM_UP = Duration.ofSeconds(40);

    private static final int MEASURED = 3;

    /// More than the fastest publishes in a turn.
    private static final int MOST = 5_000_000;

    private static final Duration LONGEST = Duration.ofSeconds(90);

    private final Scene scene;
    private final HostProcess host;
    private final Observer observer;
    private int written;

    private Drain(Scene scene, HostProcess host, Observer observer) {
        this.scene = scene;
        this.host = host;
        this.observer = observer;
    }

    public static void run(Stage stage, Contender contender, Readings readings) {
        Scene scene = stage.scene(contender);
        try (Observer observer = new Observer(scene, MOST);
                HostProcess host = scene.host(INSTANCES, 0)) {
            Drain drain = new Drain(scene, host, observer);
            long warm = System.nanoTime() + WARM_UP.toNanos();
            while (System.nanoTime() - warm < 0) {
                drain.once();
            }
            for (int i = 0; i < MEASURED; i++) {
                Scene.pause(300);
                drain.measure(contender, readings);
            }
            readings.add(Figure.EXCHANGED, contender, observer.exchanged());
        } finally {
            scene.clear();
        }
    }

    private void measure(Contender contender, Readings readings) {
        Stats before = host.stats();
        readings.add(Figure.DRAIN_MILLIS, contender, once() / 1e6);
        Scene.pause(200);
        Stats after = host.stats();
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
    }

    /// @return nanoseconds from the commit until the last event is there
    private long once() {
        int from = written;
        written += EVENTS;
        long began = scene.insert(from, EVENTS, EVENTS);
        host.go(EVENTS);
        require(observer.await(written, LONGEST));
        long last = 0;
        for (int id = from; id < written; id++) {
            last = Math.max(last, observer.arrivedAtNanos(id));
        }
        while (host.stats().total() < written) {
            Scene.pause(20);
        }
        return last - began;
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

    static void require(boolean came) {
        if (!came) {
            throw new IllegalStateException("not all events came");
        }
    }
}
