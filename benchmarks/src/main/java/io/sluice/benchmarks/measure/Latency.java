package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.load.Acks;
import io.sluice.benchmarks.load.EndToEndLoad;
import io.sluice.benchmarks.load.JavaClients;
import io.sluice.benchmarks.peer.Brokers;
import io.sluice.benchmarks.peer.KafkaPeer;
import io.sluice.benchmarks.peer.ProcessUsage;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/// How long a message of 1 KiB takes from the producer to the consumer at a fixed rate, with Java clients and `linger.ms=0`.
public final class Latency implements Measure {
    private static final int VALUE_BYTES = 1024;
    private static final List<Integer> RATES = List.of(1_000, 10_000);
    private static final List<Double> PERCENTILES = List.of(50.0, 99.0, 99.9);

    private final Acks acks;
    private final List<Mode> modes;

    private Latency(Acks acks, List<Mode> modes) {
        this.acks = acks;
        this.modes = modes;
    }

    /// What a topic is told, and what its p99 should be beside Kafka's.
    ///
    /// @param ofSluiceOnly Kafka knows one mode only, which stands beside both of Sluice's
    private record Mode(
            String title, Map<String, String> settings, Target tailTarget, boolean ofSluiceOnly) {}

    /// What was seen at one rate.
    private record Seen(Histogram latencyNanos, double percentOfACore) {}

    public static Latency ofOneNode() {
        return new Latency(
                Acks.ONE, List.of(new Mode("", Map.of(), new Target.RatioAtMost(1.0 / 2), false)));
    }

    /// Acknowledged by all replicas; with fsync on each, which is what topics have by default, and without.
    public static Latency ofCluster() {
        return new Latency(
                Acks.ALL,
                List.of(
                        new Mode("", Map.of(), new Target.RatioAtMost(1), false),
                        new Mode(
                                ", flush=page-cache",
                                Map.of("flush", "page-cache"),
                                new Target.RatioAtMost(1.0 / 2),
                                true)));
    }

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        for (Mode mode : modes) {
            for (int rate : RATES) {
                PERCENTILES.forEach(percentile -> figures.add(at(mode, rate, percentile)));
                figures.add(cpu(mode, rate));
            }
        }
        return figures;
    }

    @Override
    public boolean usesClients() {
        return true;
    }

    @Override
    public void run(Session session, Sink sink) {
        boolean isKafka = session.brokers().peer() instanceof KafkaPeer;
        for (int rate : RATES) {
            Seen seen = null;
            for (Mode mode : modes) {
                if (seen == null || !(mode.ofSluiceOnly && isKafka)) {
                    session.say(title(mode, rate));
                    seen = run(session, mode, rate);
                }
                for (double percentile : PERCENTILES) {
                    sink.value(
                            at(mode, rate, percentile),
                            seen.latencyNanos.getValueAtPercentile(percentile) / 1e6);
                }
                sink.value(cpu(mode, rate), seen.percentOfACore);
            }
        }
    }

    private Seen run(Session session, Mode mode, int rate) {
        Brokers brokers = session.brokers();
        Pace pace = session.pace();
        String topic = "bench-latency-" + rate + "-" + modes.indexOf(mode);
        try (Topics topics = new Topics(brokers)) {
            session.settleDisk();
            topics.createWritable(topic, 1, mode.settings);
            ProcessUsage before = brokers.usage();
            long started = System.nanoTime();
            Histogram latencyNanos =
                    new EndToEndLoad(
                                    JavaClients.byDefault(brokers.bootstrap(), acks)
                                            .withoutLinger(),
                                    topic,
                                    VALUE_BYTES,
                                    rate)
                            .run(pace.warmUp(), pace.latency());
            double seconds = (System.nanoTime() - started) / 1e9;
            double cpuSeconds = brokers.usage().cpuSecondsSince(before);
            topics.delete(topic);
            return new Seen(latencyNanos, 100 * cpuSeconds / seconds);
        }
    }

    private static String title(Mode mode, int rate) {
        return String.format(Locale.ROOT, "end to end at %,d msg/s%s", rate, mode.title);
    }

    private static Figure at(Mode mode, int rate, double percentile) {
        String name = percentile == Math.rint(percentile) ? "p%.0f" : "p%.1f";
        Figure figure =
                Figure.of(
                        "latency",
                        title(mode, rate) + ": " + String.format(Locale.ROOT, name, percentile),
                        Unit.MILLISECONDS);
        return percentile == 99 ? figure.withTarget(mode.tailTarget) : figure;
    }

    private static Figure cpu(Mode mode, int rate) {
        return Figure.of("latency", title(mode, rate) + ": broker", Unit.PERCENT_OF_A_CORE);
    }
}
