package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.load.Acks;
import io.sluice.benchmarks.load.JavaClients;
import io.sluice.benchmarks.load.JavaProducerLoad;
import io.sluice.benchmarks.peer.Brokers;
import io.sluice.benchmarks.peer.ProcessUsage;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.util.List;

/// What a broker holds after work: it gets a fixed volume of its own, on top of whatever the measures before it have put on the same process.
public final class Loaded implements Measure {
    private static final Figure MEMORY =
            Figure.of("loaded", "after load: resident memory", Unit.MEGABYTES)
                    .withTarget(new Target.RatioAtMost(1.0 / 3));
    private static final Figure THREADS = Figure.of("loaded", "after load: threads", Unit.COUNT);
    private static final String TOPIC = "bench-loaded";

    @Override
    public String name() {
        return "loaded";
    }

    @Override
    public List<Figure> figures() {
        return List.of(MEMORY, THREADS);
    }

    @Override
    public void run(Session session, Sink sink) {
        Brokers brokers = session.brokers();
        try (Topics topics = new Topics(brokers)) {
            topics.createWritable(TOPIC, 6);
            try (JavaProducerLoad load =
                    new JavaProducerLoad(
                            JavaClients.byDefault(brokers.bootstrap(), Acks.ALL), TOPIC, 1024)) {
                load.sendAll(session.pace().loadVolumeBytes());
            }
            topics.delete(TOPIC);
        }
        ProcessUsage usage = brokers.usage();
        sink.value(MEMORY, usage.residentBytes() / 1e6);
        sink.value(THREADS, usage.threads());
    }
}
