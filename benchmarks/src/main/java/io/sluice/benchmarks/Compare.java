package io.sluice.benchmarks;

import io.sluice.benchmarks.measure.Measure;
import io.sluice.benchmarks.measure.Pace;
import io.sluice.benchmarks.measure.Session;
import io.sluice.benchmarks.peer.KafkaPeer;
import io.sluice.benchmarks.peer.Peer;
import io.sluice.benchmarks.peer.SluicePeer;
import io.sluice.benchmarks.pulse.Pulses;
import io.sluice.benchmarks.report.ComparisonTable;
import io.sluice.benchmarks.report.Readings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The command `sluice bench compare`: the brokers take turns on an otherwise idle machine, round after round, and the table shows their ratios.
///
/// Turns rather than one after the other for good: what disturbs a shared machine changes over minutes, and two neighbouring turns see much the same
/// of it.
@Command(
        name = "compare",
        description = "Compares Sluice with Apache Kafka on this machine.",
        sortOptions = false)
public final class Compare implements Callable<Integer> {
    @Spec private @Nullable CommandSpec specification;
    @Mixin private final Options options = new Options();

    private final Readings readings = new Readings();
    private final Noise noise = new Noise();
    private final Pulses pulses = new Pulses();
    private final long startedNanos = System.nanoTime();
    private volatile @Nullable Session current;

    public static void main(String... arguments) {
        Compare compare = new Compare();
        Runtime.getRuntime().addShutdownHook(new Thread(compare::endCurrent));
        System.exit(new CommandLine(compare).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        List<Measure> measures = selectedMeasures();
        List<Peer> peers = options.peers();
        measures.forEach(measure -> readings.expect(measure.figures()));
        for (Peer peer : peers) {
            rehearse(peer, measures);
        }
        for (int round = 1; round <= options.rounds; round++) {
            for (Peer peer : peers) {
                takeTurn(peer, round, measures);
            }
            if (round < options.rounds) {
                keep(report(peers)); // Whoever is interrupted later has this much.
            }
        }
        Report report = report(peers);
        PrintWriter out = specification().commandLine().getOut();
        out.println(report.plain());
        out.flush();
        keep(report);
        return readings.failures().isEmpty() ? 0 : 1;
    }

    private List<Measure> selectedMeasures() {
        String mistake = options.findMistake();
        if (mistake != null) {
            throw invalid(mistake);
        }
        List<Measure> all = Measures.of(options);
        List<String> names = all.stream().map(Measure::name).toList();
        for (String wanted : options.only) {
            if (!names.contains(wanted)) {
                throw invalid(
                        "Unknown measure '" + wanted + "': there are " + String.join(", ", names));
            }
        }
        return all.stream()
                .filter(
                        measure ->
                                options.only.isEmpty()
                                        ? !measure.isOnRequest()
                                        : options.only.contains(measure.name()))
                .toList();
    }

    /// Installs a broker and lets it go once, unmeasured, through what comes: its files get into the page cache, what it prepares on first use (Sluice:
    /// the AOT cache) gets done, and this JVM has compiled the clients before the first round.
    private void rehearse(Peer peer, List<Measure> measures) {
        say(peer.name() + ": installing and rehearsing");
        peer.install();
        try (Session session = open(peer, Pace.quick(), _ -> {})) {
            session.startAndStop();
            if (!options.quick) {
                measures.stream()
                        .filter(Measure::usesClients)
                        .forEach(measure -> measure.run(session, (_, _) -> {}));
            }
        }
    }

    private void takeTurn(Peer peer, int round, List<Measure> measures) {
        pulses.take(options.workFolder(), options.isCluster());
        String turn = "round " + round + "/" + options.rounds + ", " + peer.name();
        try (Session session = open(peer, options.pace(), line -> say(turn + ": " + line))) {
            for (Measure measure : measures) {
                if (round > 1 && !measure.isRepeated()) {
                    continue;
                }
                say(turn + ": " + measure.name());
                Noise.Sample quiet = noise.begin(session::brokerCpuSeconds);
                try {
                    measure.run(
                            session,
                            (figure, outcome) -> {
                                readings.add(figure, peer.name(), round, outcome);
                                say("    " + figure.describe(outcome));
                            });
                } catch (RuntimeException failure) {
                    String reason = reason(failure);
                    say(turn + ": " + measure.name() + " broke off: " + reason);
                    readings.addFailure(turn + ", " + measure.name() + ": " + reason);
                }
                quiet.end();
            }
        }
    }

    private static String reason(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure.toString() : failure + ", because " + reason(cause);
    }

    private Session open(Peer peer, Pace pace, Consumer<String> progress) {
        Session session = new Session(peer, options.workFolder(), options.nodes, pace, progress);
        current = session;
        return session;
    }

    private void endCurrent() {
        Session session = current;
        if (session != null) {
            session.close();
        }
    }

    private Report report(List<Peer> peers) {
        ComparisonTable table = ComparisonTable.of(readings, KafkaPeer.NAME, SluicePeer.NAME);
        return new Report(table, peers, options, commandLine(), noise, pulses.describe());
    }

    private void keep(Report report) throws IOException {
        if (options.markdown != null) {
            Files.writeString(options.markdown, report.markdown());
        }
        if (options.csv != null) {
            Files.writeString(options.csv, readings.commaSeparated());
        }
    }

    private String commandLine() {
        List<String> words = new ArrayList<>(List.of("./sluice", "bench", "compare"));
        words.addAll(specification().commandLine().getParseResult().originalArgs());
        return String.join(" ", words);
    }

    private ParameterException invalid(String message) {
        return new ParameterException(specification().commandLine(), message);
    }

    private CommandSpec specification() {
        CommandSpec injected = specification;
        if (injected == null) {
            throw new IllegalStateException("The command runs through picocli only.");
        }
        return injected;
    }

    private void say(String line) {
        Duration elapsed = Duration.ofNanos(System.nanoTime() - startedNanos);
        System.err.printf(
                Locale.ROOT, "%02d:%02d %s%n", elapsed.toMinutes(), elapsed.toSecondsPart(), line);
    }
}
