package io.sluice.benchmarks.listener;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The command `sluice bench listener`: every measure, every subject, in turns, and a table.
@Command(
        name = "listener",
        description =
                "Sluice's listener beside Spring Cloud AWS: the same queue in another process, the same"
                        + " jobs, in turns. About a quarter of an hour.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ListenerBench implements Callable<Integer> {
    private static final List<Measure> MEASURES =
            List.of(
                    new SlotsMeasure(),
                    new LightMeasure(),
                    new OverheadMeasure(),
                    new RejectionsMeasure(),
                    new StopMeasure(),
                    new AdaptiveMeasure(),
                    new KillMeasure());

    @Spec private @Nullable CommandSpec specification;

    @Option(
            names = "--only",
            paramLabel = "MEASURE",
            split = ",",
            description =
                    "Any of busy, light, overhead, lost, stop, adaptive, kill (default: all of them).")
    private final List<String> only = new ArrayList<>();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How many times each is asked (default: as many as it needs).")
    private int rounds;

    @Option(names = "--quick", description = "A short run that shows that it works.")
    private boolean quick;

    @Option(
            names = "--markdown",
            paramLabel = "FILE",
            description = "Write the table there as well.")
    private @Nullable Path markdown;

    private final long startedNanos = System.nanoTime();

    public static void main(String... arguments) {
        System.exit(new CommandLine(new ListenerBench()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        List<Measure> chosen = chosen();
        var results = new Results();
        String before = machine();
        try (var process = new QueueProcess()) {
            int most = chosen.stream().mapToInt(this::roundsOf).max().orElse(0);
            for (int round = 1; round <= most; round++) {
                for (Measure measure : chosen) {
                    if (round <= roundsOf(measure)) {
                        take(measure, round, process.port, results);
                    }
                }
            }
        }
        String page =
                results.table()
                        + "\n%s; %d s; load average %.1f at the end.%s%n"
                                .formatted(
                                        before,
                                        seconds(),
                                        load(),
                                        quick ? " A quick run: not to be quoted." : "");
        System.out.print(page);
        write(page);
        return 0;
    }

    private void take(Measure measure, int round, int port, Results results) throws Exception {
        System.err.printf(
                Locale.ROOT,
                "%s, round %d, after %d s, load %.1f%n",
                measure.name(),
                round,
                seconds(),
                load());
        measure.take(port, new Pace(quick), results);
    }

    private int roundsOf(Measure measure) {
        if (rounds > 0) {
            return rounds;
        }
        return quick ? 1 : measure.rounds();
    }

    private List<Measure> chosen() {
        List<String> names = only.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
        List<String> known = MEASURES.stream().map(Measure::name).toList();
        for (String name : names) {
            if (!known.contains(name)) {
                throw new CommandLine.ParameterException(
                        Objects.requireNonNull(specification).commandLine(),
                        "--only=%s: there is no such measure; there are %s"
                                .formatted(name, String.join(", ", known)));
            }
        }
        return MEASURES.stream()
                .filter(measure -> names.isEmpty() || names.contains(measure.name()))
                .toList();
    }

    private long seconds() {
        return (System.nanoTime() - startedNanos) / 1_000_000_000;
    }

    private static String machine() {
        return String.format(
                Locale.ROOT,
                "%d processors, Java %s, load average %.1f at the beginning",
                Runtime.getRuntime().availableProcessors(),
                Runtime.version(),
                load());
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private void write(String page) throws IOException {
        if (markdown != null) {
            Files.writeString(markdown, page);
        }
    }
}
