package io.sluice.benchmarks.listener;

import ai.onnxruntime.OrtException;
import io.sluice.examples.labelling.model.Labeller;
import io.sluice.examples.labelling.model.SentenceModel;
import io.sluice.listener.Listener;
import io.sluice.listener.lane.Job;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.WorkerPool;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.limit.Limit;
import io.sluice.listener.limit.PlateauLimit;
import io.sluice.listener.sqs.SqsSettings;
import io.sluice.listener.sqs.SqsSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/// A lane that labels texts of very different lengths with a real model on the CPU: the limit that finds itself, beginning at 1, against all fixed ones, which are measured
/// before and after it.
final class AdaptiveMeasure implements Measure {
    private static final int GREATEST = 8;
    private static final int MOST_FIXED = 4;
    private static final int MOST_CHUNKS = 40;
    private static final int WORDS = 150;
    private static final double GOOD = 0.95;
    private static final List<String> VOCABULARY =
            List.of(
                    "invoice",
                    "amount",
                    "contract",
                    "party",
                    "patient",
                    "pain",
                    "engineer",
                    "degree",
                    "flour",
                    "oven",
                    "the",
                    "of",
                    "a",
                    "within",
                    "thirty",
                    "days");

    @Override
    public String name() {
        return "adaptive";
    }

    @Override
    public int rounds() {
        return 1;
    }

    /// Chunks per second, second by second, and the limit at the end.
    private record Ride(List<Long> perSecond, int limit) {
        double rate(int from, int to) {
            return perSecond.subList(from, to).stream().mapToLong(each -> each).average().orElse(0);
        }
    }

    @Override
    public void take(int port, Pace pace, Results results) throws Exception {
        try (var model = new SentenceModel();
                var queue = new BenchQueue(port)) {
            var labeller =
                    new Labeller(
                            model,
                            Map.of("invoice", "an invoice", "contract", "a legal agreement"));
            queue.send(pace.jobs(8_000), "heavy", 1, MOST_CHUNKS);
            int fixedSeconds = pace.seconds(15);
            int adaptiveSeconds = pace.seconds(120);
            Map<Integer, List<Double>> fixed = new TreeMap<>();
            measureFixed(queue, labeller, fixedSeconds, fixed);
            var limit = new PlateauLimit(PlateauLimit.Settings.cpu(1, GREATEST));
            Ride adaptive = ride(queue, labeller, limit, adaptiveSeconds);
            measureFixed(queue, labeller, fixedSeconds, fixed);

            Map.Entry<Integer, Double> best = best(fixed);
            results.add(Row.BEST_FIXED, Subject.SLUICE, best.getValue());
            double last = adaptive.rate(adaptiveSeconds * 3 / 4, adaptiveSeconds);
            results.add(Row.ADAPTIVE, Subject.SLUICE, 100 * last / best.getValue());
            results.add(Row.FOUND, Subject.SLUICE, found(adaptive, GOOD * best.getValue()));
            results.add(Row.LIMIT, Subject.SLUICE, adaptive.limit());
            results.add(Row.BEST, Subject.SLUICE, best.getKey());
        }
    }

    private static void measureFixed(
            BenchQueue queue, Labeller labeller, int seconds, Map<Integer, List<Double>> into)
            throws InterruptedException {
        for (int n = 1; n <= MOST_FIXED; n++) {
            Ride ride = ride(queue, labeller, new FixedLimit(n, GREATEST), seconds + 2);
            into.computeIfAbsent(n, jobs -> new ArrayList<>()).add(ride.rate(2, seconds + 2));
        }
    }

    private static Map.Entry<Integer, Double> best(Map<Integer, List<Double>> fixed) {
        Map<Integer, Double> means = new TreeMap<>();
        fixed.forEach(
                (n, rates) ->
                        means.put(n, rates.stream().mapToDouble(each -> each).average().orElse(0)));
        means.forEach((n, rate) -> System.err.printf("  fixed at %d: %.1f chunks/s%n", n, rate));
        return Collections.max(means.entrySet(), Map.Entry.comparingByValue());
    }

    /// In seconds, when the first ten seconds began that were good enough.
    private static double found(Ride ride, double good) {
        for (int from = 0; from + 10 <= ride.perSecond().size(); from++) {
            if (ride.rate(from, from + 10) >= good) {
                return from;
            }
        }
        return Double.NaN;
    }

    private static Ride ride(BenchQueue queue, Labeller labeller, Limit limit, int seconds)
            throws InterruptedException {
        var chunks = new AtomicLong();
        List<Long> perSecond = new ArrayList<>();
        try (var pool = new WorkerPool("label", GREATEST)) {
            LaneSettings lane =
                    LaneSettings.lane("label", limit, job -> label(labeller, job, chunks)).on(pool);
            SqsSettings settings =
                    SqsSettings.of(queue.client, queue.url)
                            .longPoll(Subject.LONG_POLL)
                            .dropDeadLetters(true);
            Listener listener = Listener.of(new SqsSource(settings)).lane(lane).start();
            long before = 0;
            for (int second = 0; second < seconds; second++) {
                Thread.sleep(1_000);
                long now = chunks.get();
                perSecond.add(now - before);
                before = now;
            }
            int found = listener.lanes().getFirst().limit();
            System.err.println("  " + listener.lanes().getFirst().limitReason());
            listener.stop(Duration.ofSeconds(20));
            return new Ride(perSecond, found);
        }
    }

    /// The second word of a message says how many chunks its text has.
    private static void label(Labeller labeller, Job job, AtomicLong chunks)
            throws OrtException, InterruptedException {
        String[] parts = job.message().text().split(" ");
        var random = new Random(Long.parseLong(parts[3]));
        List<String> text = new ArrayList<>();
        for (int i = Integer.parseInt(parts[1]); i > 0; i--) {
            text.add(chunk(random));
        }
        job.size(text.size());
        var _ =
                labeller.label(
                        text,
                        () -> {
                            job.requireWanted();
                            chunks.incrementAndGet();
                        });
    }

    private static String chunk(Random random) {
        var chunk = new StringBuilder();
        for (int i = 0; i < WORDS; i++) {
            chunk.append(VOCABULARY.get(random.nextInt(VOCABULARY.size()))).append(' ');
        }
        return chunk.toString();
    }
}
