package io.sluice.benchmarks.listener;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// `sluice bench listener`: every measure, every subject, in turns, and a table.
///
/// | option | |
/// | --- | --- |
/// | `--only busy,lost,light,stop,overhead,adaptive,kill` | some measures only; `kill` is asked only when it is named |
/// | `--rounds n` | how many times each is asked |
/// | `--quick` | a short run that shows that it works |
/// | `--markdown file` | writes the table there as well |
public final class ListenerBench {
    private static final List<Measure> MEASURES =
            List.of(
                    new SlotsMeasure(),
                    new LightMeasure(),
                    new OverheadMeasure(),
                    new RejectionsMeasure(),
                    new StopMeasure(),
                    new AdaptiveMeasure(),
                    new KillMeasure());

    private ListenerBench() {}

    public static void main(String[] args) throws Exception {
        List<String> options = List.of(args);
        if (options.contains("--help") || options.contains("-h")) {
            System.out.println(
                    """
                    Usage: sluice bench listener [--only busy,light,overhead,lost,stop,adaptive,kill] [--rounds n] [--quick] [--markdown file]
                    Sluice's listener beside Spring Cloud AWS: the same queue in another process, the same jobs, in turns. About eleven minutes;
                    'kill' (10,000 jobs, kill -9 every 20 s, four minutes more) runs only when it is named.""");
            return;
        }
        boolean quick = options.contains("--quick");
        String only = value(options, "--only", "");
        int rounds = Integer.parseInt(value(options, "--rounds", quick ? "1" : "0"));
        var results = new Results();
        String before = machine();
        long began = System.nanoTime();
        try (var process = new QueueProcess()) {
            for (int round = 1; round <= MEASURES.size(); round++) {
                for (Measure measure : chosen(only)) {
                    if (round <= (rounds > 0 ? rounds : measure.rounds())) {
                        System.err.printf(
                                Locale.ROOT,
                                "%s, round %d, after %d s, load %.1f%n",
                                measure.name(),
                                round,
                                (System.nanoTime() - began) / 1_000_000_000,
                                load());
                        measure.take(process.port, new Pace(quick), results);
                    }
                }
            }
        }
        String page =
                results.table()
                        + "\n%s; %d s; load average %.1f at the end.%s%n"
                                .formatted(
                                        before,
                                        (System.nanoTime() - began) / 1_000_000_000,
                                        load(),
                                        quick ? " A quick run: not to be quoted." : "");
        System.out.print(page);
        write(value(options, "--markdown", ""), page);
        System.exit(0);
    }

    private static List<Measure> chosen(String only) {
        if (only.isEmpty()) {
            return MEASURES.stream().filter(measure -> !measure.name().equals("kill")).toList();
        }
        List<String> names = Arrays.asList(only.toLowerCase(Locale.ROOT).split(","));
        List<String> known = MEASURES.stream().map(Measure::name).toList();
        if (!known.containsAll(names)) {
            throw new IllegalArgumentException(
                    "--only names " + names + ", but there are " + known + ".");
        }
        return MEASURES.stream().filter(measure -> names.contains(measure.name())).toList();
    }

    private static String value(List<String> options, String name, String otherwise) {
        int at = options.indexOf(name);
        return at < 0 || at + 1 >= options.size() ? otherwise : options.get(at + 1);
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

    private static void write(String file, String page) throws IOException {
        if (!file.isEmpty()) {
            Files.writeString(Path.of(file), page);
        }
    }
}
