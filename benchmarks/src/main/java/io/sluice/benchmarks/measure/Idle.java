package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.peer.Brokers;
import io.sluice.benchmarks.peer.ProcessUsage;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What brokers cost that have nothing to do: memory, CPU, files and threads a few seconds after the first message, with no client connected.
public final class Idle implements Measure {
    private static final Figure FILES = Figure.of("idle", "idle: open files", Unit.COUNT);
    private static final Figure THREADS = Figure.of("idle", "idle: threads", Unit.COUNT);

    private final Figure memory;
    private final Figure cpu;

    private Idle(@Nullable Target memoryTarget, @Nullable Target cpuTarget) {
        memory = new Figure("idle", "idle: resident memory", Unit.MEGABYTES, memoryTarget);
        cpu = new Figure("idle", "idle: CPU", Unit.PERCENT_OF_A_CORE, cpuTarget);
    }

    public static Idle ofOneNode() {
        return new Idle(
                new Target.RatioAtMost(1.0 / 3), new Target.ValueAtMost(1, Unit.PERCENT_OF_A_CORE));
    }

    public static Idle ofCluster() {
        return new Idle(null, null);
    }

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public List<Figure> figures() {
        return List.of(memory, cpu, FILES, THREADS);
    }

    @Override
    public void run(Session session, Sink sink) {
        Brokers brokers = session.brokers();
        // What start-up left to do (compilation, first housekeeping) is not idleness.
        Pause.of(session.pace().warmUp());
        ProcessUsage before = brokers.usage();
        long started = System.nanoTime();
        Pause.of(session.pace().idle());
        ProcessUsage after = brokers.usage();
        double seconds = (System.nanoTime() - started) / 1e9;
        sink.value(memory, after.residentBytes() / 1e6);
        sink.value(cpu, 100 * after.cpuSecondsSince(before) / seconds);
        sink.value(FILES, after.openFiles());
        sink.value(THREADS, after.threads());
    }
}
