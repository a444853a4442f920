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
import org.HdrHistogram.Histogram;

/// 500 transactions a second with one event each; from COMMIT to a consumer.
///
/// Relays run for weeks. At this rate their virtual machines, and the broker's, compile for some forty seconds on two cores, and take both of them for it;
/// that is warm-up, for every contender.
public final class Latency {
    private static final int RATE = 500;
    private static final int WARM_UP_SECONDS = 50;
    private static final long DOCUMENTS_DELAY_MILLIS = 1_000;

    private Latency() {}

    public static void run(Stage stage, Contender contender, int seconds, Readings readings) {
        Scene scene = stage.scene(contender);
        int total = RATE * (WARM_UP_SECONDS + seconds);
        try (Observer observer = new Observer(scene, total);
                HostProcess host =
                        scene.host(3, contender.isDocument() ? DOCUMENTS_DELAY_MILLIS : 0)) {
            SteadyLoad load = SteadyLoad.start(scene, RATE, WARM_UP_SECONDS + seconds);
            load.join();
            host.go(total);
            Drain.require(observer.await(total, Duration.ofSeconds(30)));
            Histogram latency = new Histogram(3);
            for (int id = RATE * WARM_UP_SECONDS; id < total; id++) {
                latency.recordValue(load.latencyMicros(id, observer));
            }
            readings.add(Figure.LATENCY_P50, contender, latency.getValueAtPercentile(50) / 1e3);
            readings.add(Figure.LATENCY_P99, contender, latency.getValueAtPercentile(99) / 1e3);
            readings.add(Figure.EXCHANGED, contender, observer.exchanged());
        } finally {
            scene.clear();
        }
    }
}
