package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.load.Acks;
import io.sluice.benchmarks.load.BulkLoad;
import io.sluice.benchmarks.load.JavaClients;
import io.sluice.benchmarks.load.JavaConsumerLoad;
import io.sluice.benchmarks.load.JavaProducerLoad;
import io.sluice.benchmarks.load.RawFetcher;
import io.sluice.benchmarks.load.Transfer;
import io.sluice.benchmarks.peer.Brokers;
import io.sluice.benchmarks.peer.ProcessUsage;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.util.List;

/// What a gigabyte costs that is read: by a Java consumer, and by raw fetches of 1 MiB, from a topic that a Java producer filled with records of 1 KiB
/// and that the page cache holds.
public final class Fetch implements Measure {
    private static final String TOPIC = "bench-fetch";
    private static final Target LESS = new Target.RatioAtMost(0.8);
    private static final Figure JAVA_RATE =
            Figure.of("fetch", "Java consumer 1 KiB", Unit.MEGABYTES_PER_SECOND);
    private static final Figure JAVA_CPU =
            Figure.of("fetch", "Java consumer 1 KiB: broker", Unit.CPU_SECONDS_PER_GIGABYTE)
                    .withTarget(LESS);
    private static final Figure RAW_RATE =
            Figure.of("fetch", "raw fetch 1 MiB", Unit.MEGABYTES_PER_SECOND);
    private static final Figure RAW_CPU =
            Figure.of("fetch", "raw fetch 1 MiB: broker", Unit.CPU_SECONDS_PER_GIGABYTE)
                    .withTarget(LESS);

    @Override
    public String name() {
        return "fetch";
    }

    @Override
    public List<Figure> figures() {
        return List.of(JAVA_RATE, JAVA_CPU, RAW_RATE, RAW_CPU);
    }

    @Override
    public boolean usesClients() {
        return true;
    }

    @Override
    public void run(Session session, Sink sink) {
        Brokers brokers = session.brokers();
        try (Topics topics = new Topics(brokers)) {
            topics.createWritable(TOPIC, 1);
            try (JavaProducerLoad filling =
                    new JavaProducerLoad(
                            JavaClients.byDefault(brokers.bootstrap(), Acks.ALL), TOPIC, 1024)) {
                filling.sendAll(session.pace().fetchVolumeBytes());
            }
            session.settleDisk();
            try (BulkLoad load = new JavaConsumerLoad(brokers.bootstrap(), TOPIC, 1)) {
                run(load, session, JAVA_RATE, JAVA_CPU, sink);
            }
            try (BulkLoad load = new RawFetcher(brokers.site().addresses().getFirst(), TOPIC, 0)) {
                run(load, session, RAW_RATE, RAW_CPU, sink);
            }
            topics.delete(TOPIC);
        }
    }

    private static void run(BulkLoad load, Session session, Figure rate, Figure cpu, Sink sink) {
        Brokers brokers = session.brokers();
        WarmUp.run(session, session.pace().firstWarmUp(), load::runFor);
        ProcessUsage before = brokers.usage();
        Transfer transfer = load.runFor(session.pace().measured());
        ProcessUsage after = brokers.usage();
        sink.value(rate, transfer.megabytesPerSecond());
        sink.value(cpu, after.cpuSecondsSince(before) / transfer.gigabytes());
    }
}
