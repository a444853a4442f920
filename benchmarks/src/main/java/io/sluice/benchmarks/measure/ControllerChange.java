package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.load.Probe;
import io.sluice.benchmarks.load.WriteEachOnce;
import io.sluice.benchmarks.peer.Brokers;
import io.sluice.benchmarks.peer.OfficeLog;
import io.sluice.benchmarks.peer.SluicePeer;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What it takes to lose the controller of a cluster with many partitions, when it led a third of them as well: `kill -9`, then the clock runs.
///
/// The partitions are spread over topics of a thousand, because Kafka refuses ten thousand in one call; all have as many replicas as everything else here,
/// and a message in each.
public final class ControllerChange implements Measure {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);
    private static final int TOPIC_SIZE = 1_000;
    private static final double SECONDS_MAX = 2;

    private final List<Integer> counts;

    public ControllerChange(List<Integer> counts) {
        this.counts = List.copyOf(counts);
    }

    @Override
    public String name() {
        return "controller";
    }

    @Override
    public List<Figure> figures() {
        return counts.stream().flatMap(count -> new Lines(count).all().stream()).toList();
    }

    /// Thirty thousand replicas want to be made, and deleted again.
    @Override
    public boolean isRepeated() {
        return false;
    }

    @Override
    public void run(Session session, Sink sink) {
        for (int count : counts) {
            session.say(Lines.title(count));
            session.settleDisk();
            run(session, count, sink);
        }
    }

    private static void run(Session session, int count, Sink sink) {
        Lines lines = new Lines(count);
        Brokers brokers = session.startFresh();
        brokers.awaitFirstAcknowledgement(Session.READY_TOPIC, Session.START_LIMIT);
        try (Topics topics = new Topics(brokers)) {
            long started = System.nanoTime();
            Map<String, Integer> created = create(topics, count);
            WriteEachOnce.run(brokers.bootstrap(), created, LIMIT);
            sink.value(lines.createAndWrite(), secondsSince(started));
            sink.value(lines.memory(), brokers.usage().residentBytes() / 1e6);
            kill(brokers, topics, created.keySet().iterator().next(), lines, sink);
        }
    }

    private static Map<String, Integer> create(Topics topics, int count) {
        Map<String, Integer> created = new LinkedHashMap<>();
        for (int left = count; left > 0; left -= TOPIC_SIZE) {
            String name = "bench-controller-" + left;
            created.put(name, Math.min(left, TOPIC_SIZE));
            topics.create(name, Math.min(left, TOPIC_SIZE));
        }
        return created;
    }

    private static void kill(Brokers brokers, Topics topics, String topic, Lines lines, Sink sink) {
        int controller = topics.controller();
        int led = topics.leaders(topic).indexOf(controller);
        if (led < 0) {
            throw new IllegalStateException(
                    "Broker " + controller + " is the controller and leads nothing of " + topic);
        }
        Probe probe = brokers.probe(topic, led);
        // What is printed has milliseconds.
        Instant moment = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        long killed = System.nanoTime();
        brokers.broker(controller).kill();
        awaitAcknowledgement(probe, killed);
        sink.value(lines.firstAcknowledgement(), secondsSince(killed));
        while (topics.leaders(topic).stream()
                .anyMatch(leader -> leader == controller || leader < 0)) {
            requireTime(killed, topic + " still has partitions without a leader.");
            Pause.of(LOOK_AGAIN);
        }
        sink.value(lines.eachLed(), secondsSince(killed));
        if (brokers.peer() instanceof SluicePeer) {
            Duration time = OfficeLog.of(brokers).timeToActAfter(moment);
            if (time != null) {
                sink.value(lines.timeToAct(), time.toMillis() / 1e3);
            }
        }
    }

    private static void awaitAcknowledgement(Probe probe, long killed) {
        while (!probe.attempt()) {
            requireTime(killed, "Nothing is acknowledged: " + probe.lastObstacle());
        }
    }

    private static void requireTime(long startedNanos, String otherwise) {
        if (System.nanoTime() - startedNanos > LIMIT.toNanos()) {
            throw new IllegalStateException(otherwise);
        }
    }

    private static double secondsSince(long startedNanos) {
        return (System.nanoTime() - startedNanos) / 1e9;
    }

    /// The lines of the table for one number of partitions.
    private record Lines(int count) {
        static String title(int count) {
            return String.format(Locale.ROOT, "%,d partitions", count);
        }

        List<Figure> all() {
            return List.of(
                    createAndWrite(), memory(), firstAcknowledgement(), eachLed(), timeToAct());
        }

        Figure createAndWrite() {
            return figure("create and write each once", Unit.SECONDS, null);
        }

        Figure memory() {
            return figure("resident memory", Unit.MEGABYTES, null);
        }

        Figure firstAcknowledgement() {
            return figure(
                    "kill -9 of the controller to an ack of a partition that it led",
                    Unit.SECONDS,
                    new Target.ValueAtMost(SECONDS_MAX, Unit.SECONDS));
        }

        Figure eachLed() {
            return figure(
                    "kill -9 of the controller until all of a topic has new leaders",
                    Unit.SECONDS,
                    null);
        }

        Figure timeToAct() {
            return figure(
                    "new controller, from taking office to its first elections",
                    Unit.SECONDS,
                    new Target.ValueAtMost(SECONDS_MAX, Unit.SECONDS));
        }

        private Figure figure(String what, Unit unit, @Nullable Target target) {
            return new Figure("controller", title(count) + ": " + what, unit, target);
        }
    }
}
