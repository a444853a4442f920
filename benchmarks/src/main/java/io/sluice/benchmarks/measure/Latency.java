package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.load.EndToEndLoad;
import io.sluice.benchmarks.peer.BrokerProcess;
import io.sluice.benchmarks.peer.ProcessUsage;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/// How long a message of 1 KiB takes from the producer to the consumer at a fixed rate, with Java clients, `linger.ms=0` and `acks=1`.
public final class Latency implements Measure {
    private static final int VALUE_BYTES = 1024;
    private static final List<Integer> RATES = List.of(1_000, 10_000);

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public List<Figure> figures() {
        return RATES.stream()
                .flatMap(
                        rate ->
                                List.of(at(rate, 50), at(rate, 99), at(rate, 99.9), cpu(rate))
                                        .stream())
                .toList();
    }

    @Override
    public boolean usesClients() {
        return true;
    }

    @Override
    public void run(Session session, Sink sink) {
        BrokerProcess broker = session.broker();
        Pace pace = session.pace();
        try (Topics topics = new Topics(broker.place())) {
            for (int rate : RATES) {
                session.say(title(rate));
                session.settleDisk();
                String topic = "bench-latency-" + rate;
                topics.createWritable(topic, 1);
                ProcessUsage before = broker.usage();
                long started = System.nanoTime();
                Histogram latencyNanos =
                        new EndToEndLoad(broker.bootstrap(), topic, VALUE_BYTES, rate)
                                .run(pace.warmUp(), pace.latency());
                double seconds = (System.nanoTime() - started) / 1e9;
                double cpuSeconds = broker.usage().cpuSecondsSince(before);
                for (double percentile : List.of(50.0, 99.0, 99.9)) {
                    sink.value(
                            at(rate, percentile),
                            latencyNanos.getValueAtPercentile(percentile) / 1e6);
                }
                sink.value(cpu(rate), 100 * cpuSeconds / seconds);
                topics.delete(topic);
            }
        }
    }

    private static String title(int rate) {
        return String.format(Locale.ROOT, "end to end at %,d msg/s", rate);
    }

    private static Figure at(int rate, double percentile) {
        String name = percentile == Math.rint(percentile) ? "p%.0f" : "p%.1f";
        Figure figure =
                Figure.of(
                        "latency",
                        title(rate) + ": " + String.format(Locale.ROOT, name, percentile),
                        Unit.MILLISECONDS);
        return percentile == 99 ? figure.withTarget(new Target.RatioAtMost(1.0 / 2)) : figure;
    }

    private static Figure cpu(int rate) {
        return Figure.of("latency", title(rate) + ": broker", Unit.PERCENT_OF_A_CORE);
    }
}
