package io.sluice.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Runs a scenario under many seeds, each or some of them twice, and tells how to replay the first that fails.
///
/// Uses all processors: a world is on one thread, but worlds share nothing. Immutable.
///
/// @param twiceEvery every so many seeds are run a second time, which must be the same to the last event
public record SeedRunner(Scenario scenario, String replayCommand, int twiceEvery) {
    /// No seed takes more than seconds.
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /// Each seed twice.
    public SeedRunner(Scenario scenario, String replayCommand) {
        this(scenario, replayCommand, 1);
    }

    /// All seeds together.
    ///
    /// @param counts summed over the seeds
    public record Summary(int seeds, long events, SortedMap<String, Integer> counts) {}

    /// A failing seed, with its story.
    public record Failure(long seed, Throwable cause, String story) {
        String sentence(String replayCommand) {
            return "Seed "
                    + seed
                    + " fails: "
                    + cause
                    + "\nReplay it with: "
                    + replayCommand.replace("SEED", Long.toString(seed))
                    + "\nWhat happened last:\n"
                    + story;
        }
    }

    /// Throws an [AssertionError] that names the lowest failing seed.
    public Summary requireAllPass(List<Long> seeds) {
        List<Failure> failures = new ArrayList<>();
        Summary summary = run(seeds, failures, false);
        if (!failures.isEmpty()) {
            Failure first = failures.getFirst();
            throw new AssertionError(first.sentence(replayCommand), first.cause());
        }
        return summary;
    }

    /// The first failing seed, or null when all pass.
    public @Nullable Failure findFailure(List<Long> seeds) {
        List<Failure> failures = new ArrayList<>();
        run(seeds, failures, true);
        return failures.isEmpty() ? null : failures.getFirst();
    }

    private Summary run(List<Long> seeds, List<Failure> failures, boolean once) {
        AtomicBoolean failed = new AtomicBoolean();
        AtomicLong events = new AtomicLong();
        SortedMap<String, Integer> counts = new TreeMap<>();
        Map<Long, Thread> running = new ConcurrentHashMap<>();
        // Daemons: one that never comes back can be left behind only.
        ExecutorService threads =
                Executors.newFixedThreadPool(
                        Runtime.getRuntime().availableProcessors(),
                        Thread.ofPlatform().daemon().name("seeds-", 1).factory());
        try {
            List<Future<@Nullable Failure>> results = new ArrayList<>();
            for (Long seed : seeds) {
                results.add(
                        threads.submit(
                                () -> {
                                    if (failed.get()) {
                                        return null; // A lower seed has failed or will be reported.
                                    }
                                    running.put(seed, Thread.currentThread());
                                    Failure failure = check(seed, once, events, counts);
                                    running.remove(seed);
                                    failed.compareAndSet(false, failure != null);
                                    return failure;
                                }));
            }
            for (int i = 0; i < seeds.size(); i++) {
                Failure failure = await(results.get(i), seeds.get(i), running);
                if (failure != null) {
                    failures.add(failure);
                    failed.set(true);
                }
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            threads.shutdownNow();
        }
        return new Summary(seeds.size(), events.get(), counts);
    }

    /// Time stands still for a world whose event never ends: only from outside can that be seen.
    private static @Nullable Failure await(
            Future<@Nullable Failure> result, long seed, Map<Long, Thread> running)
            throws InterruptedException, ExecutionException {
        try {
            return result.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            StackTraceElement[] where = Thread.getAllStackTraces().get(running.get(seed));
            InvariantBroken cause =
                    new InvariantBroken("EveryEventEnds", "it has not ended after " + LIMIT);
            if (where != null) {
                cause.setStackTrace(where);
            }
            cause.addSuppressed(e);
            return new Failure(seed, cause, "");
        }
    }

    private @Nullable Failure check(
            long seed, boolean once, AtomicLong events, SortedMap<String, Integer> counts) {
        try {
            Scenario.Report report = scenario.run(seed, Story.untold());
            events.addAndGet(report.events());
            synchronized (counts) {
                report.counts().forEach((what, count) -> counts.merge(what, count, Integer::sum));
            }
            if (once || seed % twiceEvery != 0) {
                return null;
            }
            Scenario.Report again = scenario.run(seed, Story.untold());
            return again.trace() == report.trace()
                    ? null
                    : new Failure(
                            seed,
                            new InvariantBroken(
                                    "SameSeedSameRun",
                                    "two runs of one seed have the traces "
                                            + report.trace()
                                            + " and "
                                            + again.trace()),
                            "");
        } catch (Throwable e) {
            return new Failure(seed, e, tell(seed));
        }
    }

    private String tell(long seed) {
        Story story = Story.told();
        try {
            scenario.run(seed, story);
            return story + "\n(passed this time: the run is not deterministic)";
        } catch (Throwable e) {
            return story + "\n" + e;
        }
    }
}
