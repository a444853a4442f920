package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.load.EndToEndLoad;
import io.sluice.benchmarks.load.JavaClients;
import io.sluice.benchmarks.load.JavaProducerLoad;
import io.sluice.benchmarks.load.Transfer;
import io.sluice.benchmarks.load.Values;
import io.sluice.benchmarks.peer.Brokers;
import io.sluice.benchmarks.peer.KafkaPeer;
import io.sluice.benchmarks.peer.ProcessUsage;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Unit;
import io.sluice.client.Delivery;
import io.sluice.client.Preset;
import io.sluice.client.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.CommonClientConfigs;

/// What each of the client's presets is worth: how much goes through, how long a message is under way, and what the broker pays for either.
///
/// The clients' half of a preset works with any broker; Sluice's topics get the broker's half, their `profile`, too.
public final class Presets implements Measure {
    private static final String MEASURE = "presets";
    private static final int PARTITIONS = 6;
    private static final int BULK_BYTES = 1024;
    private static final int MESSAGE_BYTES = 100;
    private static final int RATE = 1_000;

    /// Without exactly-once, which takes transactions.
    private static final List<Preset> PRESETS =
            List.of(Delivery.AT_MOST_ONCE, Delivery.AT_LEAST_ONCE).stream()
                    .flatMap(
                            delivery ->
                                    List.of(Profile.THROUGHPUT, Profile.BALANCED, Profile.LATENCY)
                                            .stream()
                                            .map(profile -> new Preset(delivery, profile)))
                    .toList();

    @Override
    public String name() {
        return MEASURE;
    }

    @Override
    public List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        for (Preset preset : PRESETS) {
            figures.addAll(
                    List.of(
                            rate(preset),
                            cost(preset),
                            percentile(preset, 50),
                            percentile(preset, 99),
                            load(preset)));
        }
        return figures;
    }

    @Override
    public boolean usesClients() {
        return true;
    }

    @Override
    public boolean isOnRequest() {
        return true;
    }

    @Override
    public void run(Session session, Sink sink) {
        for (Preset preset : PRESETS) {
            session.say(title(preset));
            Brokers brokers = session.brokers();
            Map<String, String> bootstrap =
                    Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, brokers.bootstrap());
            JavaClients clients =
                    new JavaClients(preset.producer(bootstrap), preset.consumer(bootstrap));
            measureBulk(session, preset, clients, sink);
            measureMessages(session, preset, clients, sink);
        }
    }

    private static void measureBulk(
            Session session, Preset preset, JavaClients clients, Sink sink) {
        Brokers brokers = session.brokers();
        String topic = topic(preset) + "-bulk";
        try (Topics topics = new Topics(brokers)) {
            session.settleDisk();
            topics.createWritable(topic, PARTITIONS, settings(brokers, preset));
            Values events = Values.events(BULK_BYTES); // Most presets compress.
            try (JavaProducerLoad load = new JavaProducerLoad(clients, topic, events)) {
                load.runFor(session.pace().warmUp());
                ProcessUsage before = brokers.usage();
                Transfer transfer = load.runFor(session.pace().measured());
                double cpuSeconds = brokers.usage().cpuSecondsSince(before);
                sink.value(rate(preset), transfer.megabytesPerSecond());
                sink.value(cost(preset), cpuSeconds / transfer.gigabytes());
            }
            topics.delete(topic);
        }
    }

    private static void measureMessages(
            Session session, Preset preset, JavaClients clients, Sink sink) {
        Brokers brokers = session.brokers();
        Pace pace = session.pace();
        String topic = topic(preset) + "-messages";
        try (Topics topics = new Topics(brokers)) {
            session.settleDisk();
            topics.createWritable(topic, 1, settings(brokers, preset));
            ProcessUsage before = brokers.usage();
            long started = System.nanoTime();
            Histogram latencyNanos =
                    new EndToEndLoad(clients, topic, MESSAGE_BYTES, RATE)
                            .run(pace.warmUp(), pace.latency());
            double seconds = (System.nanoTime() - started) / 1e9;
            double cpuSeconds = brokers.usage().cpuSecondsSince(before);
            for (int percentile : List.of(50, 99)) {
                sink.value(
                        percentile(preset, percentile),
                        latencyNanos.getValueAtPercentile(percentile) / 1e6);
            }
            sink.value(load(preset), 100 * cpuSeconds / seconds);
            topics.delete(topic);
        }
    }

    private static Map<String, String> settings(Brokers brokers, Preset preset) {
        return brokers.peer() instanceof KafkaPeer
                ? Map.of()
                : Map.of("profile", preset.profile().label());
    }

    private static String topic(Preset preset) {
        return "bench-" + preset.delivery().label() + "-" + preset.profile().label();
    }

    private static String title(Preset preset) {
        return preset.delivery().label() + ", " + preset.profile().label();
    }

    private static Figure rate(Preset preset) {
        return Figure.of(MEASURE, title(preset), Unit.MEGABYTES_PER_SECOND);
    }

    private static Figure cost(Preset preset) {
        return Figure.of(MEASURE, title(preset) + ": broker", Unit.CPU_SECONDS_PER_GIGABYTE);
    }

    private static Figure percentile(Preset preset, int percentile) {
        return Figure.of(
                MEASURE, title(preset) + ", 1,000 msg/s: p" + percentile, Unit.MILLISECONDS);
    }

    private static Figure load(Preset preset) {
        return Figure.of(MEASURE, title(preset) + ", 1,000 msg/s: broker", Unit.PERCENT_OF_A_CORE);
    }
}
