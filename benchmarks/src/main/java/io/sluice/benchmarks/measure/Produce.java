package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.load.Acks;
import io.sluice.benchmarks.load.JavaClients;
import io.sluice.benchmarks.load.JavaProducerLoad;
import io.sluice.benchmarks.load.Transfer;
import io.sluice.benchmarks.peer.Brokers;
import io.sluice.benchmarks.peer.ProcessUsage;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a gigabyte costs that a Java producer sends in records of 1 KiB, with the batching that the client does by default.
///
/// Sluice answers `acks=all` after fsync and Kafka does not; that is compared all the same, because it is what each gives by default.
public final class Produce implements Measure {
    private static final int VALUE_BYTES = 1024;
    private final List<Variant> variants;

    private Produce(List<Variant> variants) {
        this.variants = variants;
    }

    public static Produce ofOneNode() {
        Target half = new Target.RatioAtMost(1.0 / 2);
        Target noSlower = new Target.RatioAtLeast(1);
        return new Produce(
                List.of(
                        new Variant(1, Acks.ONE, null, half),
                        new Variant(6, Acks.ONE, null, half),
                        new Variant(1, Acks.ALL, noSlower, null),
                        new Variant(6, Acks.ALL, noSlower, null)));
    }

    /// Acknowledged by all replicas: from one leader, and from all brokers as leaders.
    public static Produce ofCluster() {
        Target quarter = new Target.RatioAtMost(1.0 / 4);
        return new Produce(
                List.of(
                        new Variant(1, Acks.ALL, null, quarter),
                        new Variant(6, Acks.ALL, null, quarter)));
    }

    @Override
    public String name() {
        return "produce";
    }

    @Override
    public List<Figure> figures() {
        return variants.stream().flatMap(v -> List.of(v.rate(), v.cpu()).stream()).toList();
    }

    @Override
    public boolean usesClients() {
        return true;
    }

    @Override
    public void run(Session session, Sink sink) {
        Brokers brokers = session.brokers();
        try (Topics topics = new Topics(brokers)) {
            for (Variant variant : variants) {
                session.say(variant.title());
                session.settleDisk();
                topics.createWritable(variant.topic(), variant.partitions);
                variant.run(session, variant.equals(variants.getFirst()), sink);
                topics.delete(variant.topic());
            }
        }
    }

    /// One shape of the load and the figures it yields.
    private record Variant(
            int partitions, Acks acks, @Nullable Target rateTarget, @Nullable Target cpuTarget) {

        String title() {
            return "Java producer 1 KiB, %d partition%s, acks=%s"
                    .formatted(partitions, partitions == 1 ? "" : "s", acks.setting());
        }

        String topic() {
            return "bench-produce-" + partitions + "-" + acks.setting();
        }

        Figure rate() {
            return new Figure("produce", title(), Unit.MEGABYTES_PER_SECOND, rateTarget);
        }

        Figure cpu() {
            return new Figure(
                    "produce", title() + ": broker", Unit.CPU_SECONDS_PER_GIGABYTE, cpuTarget);
        }

        void run(Session session, boolean first, Sink sink) {
            Brokers brokers = session.brokers();
            Pace pace = session.pace();
            try (JavaProducerLoad load =
                    new JavaProducerLoad(
                            JavaClients.byDefault(brokers.bootstrap(), acks),
                            topic(),
                            VALUE_BYTES)) {
                WarmUp.run(session, first ? pace.firstWarmUp() : pace.warmUp(), load::runFor);
                ProcessUsage before = brokers.usage();
                Transfer transfer = load.runFor(pace.measured());
                ProcessUsage after = brokers.usage();
                sink.value(rate(), transfer.megabytesPerSecond());
                sink.value(cpu(), after.cpuSecondsSince(before) / transfer.gigabytes());
            }
        }
    }
}
