package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.load.WriteEachOnce;
import io.sluice.benchmarks.peer.BrokerProcess;
import io.sluice.benchmarks.peer.ProcessUsage;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Outcome;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.errors.ApiException;
import org.jspecify.annotations.Nullable;

/// What many partitions cost: to create and write each once, to hold, and to start again with, after a clean stop and after `kill -9`.
///
/// A restart is timed twice: to the first acknowledged message, and until every partition has acknowledged one, because a broker may well open its
/// partitions only when they are used.
public final class Partitions implements Measure {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final int FALLBACK_TOPIC_SIZE = 1_000;
    private static final int TARGET_COUNT = 5_000;
    private static final int ONE_CALL_COUNT = 10_000;

    private final List<Integer> counts;

    public Partitions(List<Integer> counts) {
        this.counts = List.copyOf(counts);
    }

    @Override
    public String name() {
        return "partitions";
    }

    @Override
    public List<Figure> figures() {
        return counts.stream().flatMap(count -> new Lines(count).all().stream()).toList();
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
        BrokerProcess first = session.startFresh();
        first.awaitFirstAcknowledgement(Session.READY_TOPIC, Session.START_LIMIT);

        long started = System.nanoTime();
        Map<String, Integer> topics = create(first, count, lines, sink);
        WriteEachOnce.run(first.bootstrap(), topics, LIMIT);
        sink.value(lines.createAndWrite(), seconds(System.nanoTime() - started));

        ProcessUsage usage = first.usage();
        sink.value(lines.memory(), usage.residentBytes() / 1e6);
        sink.value(lines.files(), usage.openFiles());
        sink.value(lines.mappings(), usage.mappings());
        sink.value(lines.idle(), idlePercent(first, session.pace()));

        sink.value(lines.stop(), seconds(first.stop().toNanos()));
        BrokerProcess second = session.startAgain(first);
        awaitAll(second, topics, lines.cleanFirst(), lines.cleanAll(), sink);

        second.kill();
        BrokerProcess third = session.startAgain(second);
        awaitAll(third, topics, lines.killedFirst(), lines.killedAll(), sink);
        sink.value(lines.memoryAfterKill(), third.usage().residentBytes() / 1e6);
    }

    /// One topic in one call; where the broker refuses that, the refusal is noted and the partitions are made in smaller topics.
    private static Map<String, Integer> create(
            BrokerProcess broker, int count, Lines lines, Sink sink) {
        Map<String, Integer> created = new LinkedHashMap<>();
        try (Topics topics = new Topics(broker.place())) {
            try {
                topics.create("bench-partitions", count);
                created.put("bench-partitions", count);
                sink.value(lines.oneCall(), 1);
            } catch (ApiException refused) {
                sink.accept(lines.oneCall(), new Outcome.Refused(refused.toString()));
                for (int left = count; left > 0; left -= FALLBACK_TOPIC_SIZE) {
                    String name = "bench-partitions-" + left;
                    created.put(name, Math.min(left, FALLBACK_TOPIC_SIZE));
                    topics.create(name, Math.min(left, FALLBACK_TOPIC_SIZE));
                }
            }
        }
        return created;
    }

    private static void awaitAll(
            BrokerProcess broker,
            Map<String, Integer> topics,
            Figure toFirst,
            Figure toAll,
            Sink sink) {
        long started = System.nanoTime();
        String topic = topics.keySet().iterator().next();
        Duration first = broker.awaitFirstAcknowledgement(topic, LIMIT);
        sink.value(toFirst, seconds(first.toNanos()));
        WriteEachOnce.run(broker.bootstrap(), topics, LIMIT);
        sink.value(toAll, seconds(System.nanoTime() - started));
    }

    private static double idlePercent(BrokerProcess broker, Pace pace) {
        Pause.of(pace.warmUp());
        ProcessUsage before = broker.usage();
        long started = System.nanoTime();
        Pause.of(pace.idle());
        return 100 * broker.usage().cpuSecondsSince(before) / seconds(System.nanoTime() - started);
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    /// The lines of the table for one number of partitions.
    private record Lines(int count) {
        static String title(int count) {
            return String.format(Locale.ROOT, "%,d partitions", count);
        }

        List<Figure> all() {
            return List.of(
                    oneCall(),
                    createAndWrite(),
                    memory(),
                    files(),
                    mappings(),
                    idle(),
                    stop(),
                    cleanFirst(),
                    cleanAll(),
                    killedFirst(),
                    killedAll(),
                    memoryAfterKill());
        }

        Figure oneCall() {
            Figure figure = figure("one topic, one call", Unit.WORKS, null);
            return count == ONE_CALL_COUNT ? figure.withTarget(new Target.Works()) : figure;
        }

        Figure createAndWrite() {
            return figure("create and write each once", Unit.SECONDS, ratio(5));
        }

        Figure memory() {
            return figure("resident memory", Unit.MEGABYTES, ratio(3));
        }

        Figure files() {
            return figure("open files", Unit.COUNT, null);
        }

        Figure mappings() {
            return figure("memory mappings", Unit.COUNT, null);
        }

        Figure idle() {
            return figure("idle CPU", Unit.PERCENT_OF_A_CORE, null);
        }

        Figure stop() {
            return figure("clean stop", Unit.SECONDS, null);
        }

        Figure cleanFirst() {
            return figure("clean restart to first ack", Unit.SECONDS, null);
        }

        Figure cleanAll() {
            return figure("clean restart until each is written", Unit.SECONDS, null);
        }

        Figure killedFirst() {
            return figure("restart after kill -9 to first ack", Unit.SECONDS, ratio(10));
        }

        Figure killedAll() {
            return figure("restart after kill -9 until each is written", Unit.SECONDS, null);
        }

        Figure memoryAfterKill() {
            return figure("resident memory after kill -9", Unit.MEGABYTES, null);
        }

        private @Nullable Target ratio(int divisor) {
            return count == TARGET_COUNT ? new Target.RatioAtMost(1.0 / divisor) : null;
        }

        private Figure figure(String what, Unit unit, @Nullable Target target) {
            return new Figure("partitions", title(count) + ": " + what, unit, target);
        }
    }
}
