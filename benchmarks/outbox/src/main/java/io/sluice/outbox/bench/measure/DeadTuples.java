package io.sluice.outbox.bench.measure;

import io.sluice.outbox.bench.Readings;
import io.sluice.outbox.bench.Readings.Figure;
import io.sluice.outbox.bench.stage.Contender;
import io.sluice.outbox.bench.stage.HostProcess;
import io.sluice.outbox.bench.stage.Observer;
import io.sluice.outbox.bench.stage.Scene;
import io.sluice.outbox.bench.stage.Stage;
import java.time.Duration;

/// Rows of the event table that publishing leaves dead: every update and every delete makes one, whether vacuum has been there or not.
public final class DeadTuples {
    private static final int PER_TRANSACTION = 20_000;

    private DeadTuples() {}

    public static void run(Stage stage, Contender contender, int events, Readings readings) {
        Scene scene = stage.scene(contender);
        try {
            publish(scene, events);
            Scene.pause(1_200); // Sessions tell their counts at the latest when they end.
            long dead =
                    scene.number(
                            "SELECT greatest(n_dead_tup, n_tup_upd + n_tup_del) FROM pg_stat_user_tables WHERE relid = 'transfer_events'::regclass");
            readings.add(Figure.DEAD_TUPLES_PER_EVENT, contender, (double) dead / events);
        } finally {
            scene.clear();
        }
    }

    private static void publish(Scene scene, int events) {
        try (Observer observer = new Observer(scene, events);
                HostProcess host = scene.host(3, 0)) {
            scene.insert(0, events, PER_TRANSACTION);
            host.go(events);
            Drain.require(observer.await(events, Duration.ofMinutes(4)));
            while (host.stats().total() < events) {
                Scene.pause(50);
            }
        }
    }
}
