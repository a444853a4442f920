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
    @Option(
            names = "--quick",
            description = "Fewer rounds and events: about three minutes instead of eleven.")
    private boolean quick;

    @Option(
            names = "--markdown",
            paramLabel = "FILE",
            description = "Write the table there as well.")
    private @Nullable Path markdown;

    @Option(
            names = "--only",
            paramLabel = "MEASURE",
            split = ",",
            description = "drain, sustained, latency, rescale, kill, freeze, dead, bloat.")
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
        Path checkout = Path.of("").toAbsolutePath();
        List<Contender> all = new ArrayList<>(List.of(Contender.values()));
        all.removeAll(without);
        if (all.stream().anyMatch(Contender::isDebezium)) {
            Peer.fetch(checkout);
        }
        Report report = new Report(readings, failures, quick, bootstrap);
        try (Stage stage = Stage.open(bootstrap, checkout)) {
            measureAll(stage, all);
        }
        report.end(Duration.ofNanos(System.nanoTime() - startedNanos));
        System.out.println(report.text());
        if (markdown != null) {
            Files.writeString(markdown, report.text());
        }
        return failures.isEmpty() ? 0 : 1;
    }

    private void measureAll(Stage stage, List<Contender> all) {
        int rounds = quick ? 1 : 3;
        List<Contender> fast =
                all.stream()
                        .filter(
                                contender ->
                                        !contender.isDocument() && contender != Contender.COMPAT)
                        .toList();
        inTurns("drain", rounds, all, contender -> Drain.run(stage, contender, readings));
        inTurns(
                "latency",
                1,
                all,
                contender -> Latency.run(stage, contender, quick ? 5 : 10, readings));
        inTurns(
                "sustained",
                quick ? 1 : 2,
                fast,
                contender -> Sustained.run(stage, contender, quick ? 60_000 : 200_000, readings));
        List<Contender> log = List.of(Contender.LOG);
        inTurns("rescale", 1, log, _ -> Disturbed.rescale(stage, readings));
        inTurns("kill", rounds, log, _ -> Disturbed.kill(stage, readings));
        inTurns("freeze", 1, log, _ -> Disturbed.freeze(stage, readings));
        inTurns(
                "dead",
                1,
                all.stream()
                        .filter(
                                contender ->
                                        !contender.isDebezium() && contender != Contender.DOCUMENT)
                        .toList(),
                contender -> DeadTuples.run(stage, contender, deadEvents(contender), readings));
        inTurns(
                "bloat",
                1,
                log,
                contender -> Bloated.run(stage, contender, quick ? 100_000 : 1_000_000, readings));
    }

    private int deadEvents(Contender contender) {
        return contender == Contender.LOG ? (quick ? 100_000 : 1_000_000) : 20_000;
    }

    /// Turns rather than one after the other for good: what disturbs a machine changes over minutes.
    private void inTurns(
            String measure, int rounds, List<Contender> contenders, Consumer<Contender> turn) {
        if (!only.isEmpty() && !only.contains(measure)) {
            return;
        }
        for (int round = 1; round <= rounds; round++) {
            for (Contender contender : contenders) {
                long began = System.nanoTime();
                String problem = "";
                try {
                    turn.accept(contender);
                } catch (RuntimeException e) {
                    problem = ": " + e;
                    failures.add(measure + ", " + contender.label() + ": " + e);
                }
                System.err.printf(
                        Locale.ROOT,
                        "[%3d s] %s %d/%d, %s, %.1f s%s%n",
                        (began - startedNanos) / 1_000_000_000L,
                        measure,
                        round,
                        rounds,
                        contender.label(),
                        (System.nanoTime() - began) / 1e9,
                        problem);
            }
        }
    }
}
