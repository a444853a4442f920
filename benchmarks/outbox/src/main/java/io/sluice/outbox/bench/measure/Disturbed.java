package io.sluice.outbox.bench.measure;

import io.sluice.outbox.bench.Readings;
import io.sluice.outbox.bench.Readings.Figure;
import io.sluice.outbox.bench.stage.Contender;
import io.sluice.outbox.bench.stage.HostProcess;
import io.sluice.outbox.bench.stage.Observer;
import io.sluice.outbox.bench.stage.Scene;
import io.sluice.outbox.bench.stage.Stage;
import io.sluice.outbox.bench.stage.SteadyLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Three relays, a process each, under load; then some come, one is killed, or one is frozen.
///
/// The pause of a lane is the longest that any of its events had to wait; the longest of all lanes is the longest of all events.
public final class Disturbed {
    private static final int RATE = 1_000;
    private static final int BEFORE_SECONDS = 3;

    private Disturbed() {}

    public static void rescale(Stage stage, Readings readings) {
        Contender log = Contender.LOG;
        measure(
                stage,
                12,
                (scene, relays) -> {
                    for (int i = 0; i < 2; i++) {
                        relays.add(scene.host(1, 0));
                    }
                },
                (pause, observer) -> {
                    readings.add(Figure.RESCALE_PAUSE, log, pause);
                    readings.add(Figure.RESCALE_REPEATED, log, observer.repeated());
                    readings.add(Figure.EXCHANGED, log, observer.exchanged());
                });
    }

    public static void kill(Stage stage, Readings readings) {
        lose(stage, HostProcess::kill, Figure.KILL_PAUSE, readings);
    }

    public static void freeze(Stage stage, Readings readings) {
        lose(stage, HostProcess::freeze, Figure.FREEZE_PAUSE, readings);
    }

    private static void lose(
            Stage stage, Consumer<HostProcess> how, Figure figure, Readings readings) {
        measure(
                stage,
                6,
                (_, relays) -> how.accept(relays.getFirst()),
                (pause, observer) -> {
                    readings.add(figure, Contender.LOG, pause);
                    // What was on its way may come twice, with the same number; order is kept.
                    readings.add(Figure.EXCHANGED, Contender.LOG, observer.exchanged());
                });
    }

    private interface Disturbance {
        void happen(Scene scene, List<HostProcess> relays);
    }

    private interface Result {
        void is(double pauseMillis, Observer observer);
    }

    private static void measure(
            Stage stage, int afterSeconds, Disturbance disturbance, Result result) {
        Scene scene = stage.scene(Contender.LOG);
        List<HostProcess> relays = new ArrayList<>();
        int seconds = BEFORE_SECONDS + afterSeconds;
        try (Observer observer = new Observer(scene, RATE * seconds)) {
            for (int i = 0; i < 3; i++) {
                relays.add(scene.host(1, 0));
            }
            SteadyLoad load = SteadyLoad.start(scene, RATE, seconds);
            Scene.pause(BEFORE_SECONDS * 1_000L);
            long moment = System.nanoTime();
            disturbance.happen(scene, relays);
            load.join();
            Drain.require(observer.await(load.total(), Duration.ofSeconds(30)));
            long longest = 0;
            for (int id = 0; id < load.total(); id++) {
                boolean before = load.committedAtNanos(id) - moment < -500_000_000L;
                longest = before ? longest : Math.max(longest, load.latencyMicros(id, observer));
            }
            result.is(longest / 1e3, observer);
        } finally {
            relays.forEach(HostProcess::kill); // The frozen one as well: it may hold locks.
            scene.clear();
        }
    }
}
