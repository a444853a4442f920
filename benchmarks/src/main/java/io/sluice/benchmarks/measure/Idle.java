package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.peer.BrokerProcess;
import io.sluice.benchmarks.peer.ProcessUsage;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.util.List;

/// What a broker costs that has nothing to do: memory, CPU, files and threads a few seconds after the first message, with no client connected.
public final class Idle implements Measure {
    private static final Figure MEMORY =
            Figure.of("idle", "idle: resident memory", Unit.MEGABYTES)
                    .withTarget(new Target.RatioAtMost(1.0 / 3));
    private static final Figure CPU =
            Figure.of("idle", "idle: CPU", Unit.PERCENT_OF_A_CORE)
                    .withTarget(new Target.ValueAtMost(1, Unit.PERCENT_OF_A_CORE));
    private static final Figure FILES = Figure.of("idle", "idle: open files", Unit.COUNT);
    private static final Figure THREADS = Figure.of("idle", "idle: threads", Unit.COUNT);

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public List<Figure> figures() {
        return List.of(MEMORY, CPU, FILES, THREADS);
    }

    @Override
    public void run(Session session, Sink sink) {
        BrokerProcess broker = session.broker();
        // What start-up left to do (compilation, first housekeeping) is not idleness.
        Pause.of(session.pace().warmUp());
        ProcessUsage before = broker.usage();
        long started = System.nanoTime();
        Pause.of(session.pace().idle());
        ProcessUsage after = broker.usage();
        double seconds = (System.nanoTime() - started) / 1e9;
        sink.value(MEMORY, after.residentBytes() / 1e6);
        sink.value(CPU, 100 * after.cpuSecondsSince(before) / seconds);
        sink.value(FILES, after.openFiles());
        sink.value(THREADS, after.threads());
    }
}
