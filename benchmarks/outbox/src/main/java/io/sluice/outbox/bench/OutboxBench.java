package io.sluice.outbox.bench;

import io.sluice.outbox.bench.measure.Bloated;
import io.sluice.outbox.bench.measure.DeadTuples;
import io.sluice.outbox.bench.measure.Disturbed;
import io.sluice.outbox.bench.measure.Drain;
import io.sluice.outbox.bench.measure.Latency;
import io.sluice.outbox.bench.measure.Sustained;
import io.sluice.outbox.bench.stage.Contender;
import io.sluice.outbox.bench.stage.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// The command `sluice bench outbox`: contenders take turns, round after round, on one database and one broker.
@Command(
        name = "outbox",
        description =
                "Measures the outbox relay beside the document's designs and Debezium on this machine.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class OutboxBench implements Callable<Integer> {
    private static final List<String> MEASURES =
            List.of("drain", "latency", "sustained", "rescale", "kill", "freeze", "dead", "bloat");

    private static final Duration LONGEST_TURN = Duration.ofMinutes(4);
    private static final int FEW_EVENTS = 10_000;

    @Option(
            names = "--quick",
            description = "Fewer rounds and events: about twelve minutes instead of twenty-five.")
    private boolean quick;

    @Option(
            names = "--markdown",
            paramLabel = "FILE",
            description = "Write the tables there as well, anew after every turn.")
    private @Nullable Path markdown;

    @Option(
            names = "--only",
            paramLabel = "MEASURE",
            split = ",",
            description = "drain, latency, sustained, rescale, kill, freeze, dead, bloat.")
    private final List<String> only = new ArrayList<>();

    @Option(
            names = "--without",
            paramLabel = "CONTENDER",
            split = ",",
            description = "Leave out: ${COMPLETION-CANDIDATES}.")
    private final List<Contender> without = new ArrayList<>();

    @Option(
            names = "--broker",
            paramLabel = "HOST:PORT",
            description =
                    "Publish to this broker, such as Apache Kafka, instead of a Sluice of its own.")
    private @Nullable String bootstrap;

    private final Readings readings = new Readings();
    private final List<String> failures = new ArrayList<>();
    private final long startedNanos = System.nanoTime();

    public static void main(String... arguments) {
        System.exit(
                new CommandLine(new OutboxBench())
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        requireKnown(only);
        Path checkout = Path.of("").toAbsolutePath();
        List<Contender> all = new ArrayList<>(List.of(Contender.values()));
        all.removeAll(without);
        fetchPeers(checkout, all);
        Report report = new Report(readings, failures, quick, bootstrap);
        try (Stage stage = Stage.open(bootstrap, checkout)) {
            run(stage, report, measures(stage, all));
        }
        System.out.println(report.text());
        return failures.isEmpty() ? 0 : 1;
    }

    private void requireKnown(List<String> names) {
        for (String name : names) {
            if (!MEASURES.contains(name)) {
                throw new CommandLine.ParameterException(
                        new CommandLine(this),
                        "--only=%s: there is no such measure; there are %s"
                                .formatted(name, String.join(", ", MEASURES)));
            }
        }
    }

    /// Without a network the others are measured all the same.
    private void fetchPeers(Path checkout, List<Contender> all) {
        try {
            if (all.stream().anyMatch(Contender::isDebezium)) {
                Peer.fetch(checkout);
            }
        } catch (IOException e) {
            failures.add("Debezium: " + e.getMessage());
            all.removeIf(Contender::isDebezium);
        }
    }

    /// What is measured: round after round, all contenders in turn.
    private record Measure(
            String name, int rounds, List<Contender> contenders, Consumer<Contender> turn) {}

    private List<Measure> measures(Stage stage, List<Contender> all) {
        int rounds = quick ? 1 : 3;
        int some = quick ? 5 : 10;
        int many = quick ? 500_000 : 2_000_000;
        int most = quick ? 100_000 : 1_000_000;
        List<Contender> different = all.stream().filter(who -> !who.isVariant()).toList();
        List<Contender> fast =
                different.stream()
                        .filter(who -> !who.isDocument() && who != Contender.COMPAT)
                        .toList();
        List<Contender> ofTable =
                different.stream()
                        .filter(who -> !who.isDebezium() && who != Contender.DOCUMENT)
                        .toList();
        List<Contender> log = List.of(Contender.LOG);
        List<Contender> pushing =
                all.stream().filter(who -> who == Contender.LOG || who == Contender.WAL).toList();
        return List.of(
                new Measure("drain", quick ? 1 : 2, all, who -> Drain.run(stage, who, readings)),
                new Measure(
                        "latency", 1, different, who -> Latency.run(stage, who, some, readings)),
                new Measure(
                        "latency",
                        quick ? 0 : 2,
                        pushing,
                        who -> Latency.run(stage, who, some, readings)),
                new Measure(
                        "sustained",
                        quick ? 1 : 2,
                        fast,
                        who -> Sustained.run(stage, who, many, readings)),
                new Measure("rescale", 1, log, _ -> Disturbed.rescale(stage, readings)),
                new Measure("kill", rounds, log, _ -> Disturbed.kill(stage, readings)),
                new Measure("freeze", 1, log, _ -> Disturbed.freeze(stage, readings)),
                new Measure(
                        "dead",
                        1,
                        ofTable,
                        who ->
                                DeadTuples.run(
                                        stage,
                                        who,
                                        who == Contender.LOG ? most : FEW_EVENTS,
                                        readings)),
                new Measure("bloat", 1, log, who -> Bloated.run(stage, who, most, readings)));
    }

    /// Turns rather than one after the other for good: what disturbs a machine changes over minutes.
    private void run(Stage stage, Report report, List<Measure> measures) throws IOException {
        List<Measure> wanted =
                measures.stream()
                        .filter(measure -> only.isEmpty() || only.contains(measure.name()))
                        .toList();
        int turns =
                wanted.stream()
                        .mapToInt(measure -> measure.rounds() * measure.contenders().size())
                        .sum();
        int turn = 0;
        for (Measure measure : wanted) {
            for (int round = 1; round <= measure.rounds(); round++) {
                for (Contender contender : measure.contenders()) {
                    turn++;
                    System.err.printf(
                            Locale.ROOT,
                            "[%3d s] turn %d of %d: %s %d/%d, %s ... ",
                            elapsed().toSeconds(),
                            turn,
                            turns,
                            measure.name(),
                            round,
                            measure.rounds(),
                            contender.label());
                    take(stage, measure, contender);
                    report.end(elapsed());
                    write(report);
                }
            }
        }
    }

    /// One that fails does not end the others.
    private void take(Stage stage, Measure measure, Contender contender) {
        long began = System.nanoTime();
        String problem = "";
        TurnLimit limit = TurnLimit.start(LONGEST_TURN, stage::killHosts);
        try (limit) {
            measure.turn().accept(contender);
        } catch (RuntimeException e) {
            problem = limit.isExceeded() ? "took longer than " + LONGEST_TURN : e.toString();
            failures.add(measure.name() + ", " + contender.label() + ": " + problem);
        }
        stage.killHosts();
        System.err.printf(
                Locale.ROOT,
                "%.1f s%s%n",
                (System.nanoTime() - began) / 1e9,
                problem.isEmpty() ? "" : ", failed: " + problem);
    }

    private Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - startedNanos);
    }

    /// After every turn, so that a run that is ended early has shown something.
    private void write(Report report) throws IOException {
        if (markdown != null) {
            Files.writeString(markdown, report.text());
        }
    }
}
