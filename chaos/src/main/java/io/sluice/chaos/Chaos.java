package io.sluice.chaos;

import io.sluice.chaos.campaign.Campaign;
import io.sluice.chaos.campaign.CampaignPlan;
import io.sluice.chaos.campaign.Ledger;
import io.sluice.chaos.campaign.Report;
import io.sluice.chaos.cluster.ClusterUnderTest;
import io.sluice.chaos.cluster.KafkaCluster;
import io.sluice.chaos.cluster.SluiceCluster;
import io.sluice.chaos.fault.Fault;
import io.sluice.chaos.fault.Pace;
import io.sluice.chaos.load.LoadPlan;
import io.sluice.chaos.place.LoopDisks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The command `sluice chaos`: a cluster of real processes under real clients, fault after fault, and a verdict.
@Command(
        name = "chaos",
        description =
                "Does everything to a cluster that can happen to one, and looks whether it kept its promises.",
        sortOptions = false)
public final class Chaos implements Callable<Integer> {
    @Spec private @Nullable CommandSpec specification;
    @Mixin private final Options options = new Options();

    private final long startedNanos = System.nanoTime();
    private volatile @Nullable ClusterUnderTest cluster;
    private volatile @Nullable Ground ground;

    public static void main(String... arguments) {
        Chaos chaos = new Chaos();
        Runtime.getRuntime().addShutdownHook(new Thread(chaos::tidyUp));
        System.exit(new CommandLine(chaos).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        Path work = workFolder();
        LoopDisks.removeAll(work.resolve("disks"));
        empty(work);
        System.setProperty("sluice.chaos.clients", work.resolve("clients.log").toString());
        long seed = options.seed == null ? new Random().nextInt(1_000_000) : options.seed;
        try {
            Ground chosen = Ground.choose(options, work, this::say);
            ground = chosen;
            LoadPlan load = new LoadPlan(options.partitions, 2, options.rate, 2);
            List<Fault> faults = chosen.faults(options.faults);
            CampaignPlan plan =
                    new CampaignPlan(
                            faults,
                            options.count(faults.size()),
                            options.brisk ? Pace.BRISK : Pace.CALM,
                            Duration.ofMinutes(options.minutes),
                            seed,
                            options.round,
                            load,
                            work);
            ClusterUnderTest tested = cluster(chosen, work);
            cluster = tested;
            tested.install();
            say(
                    "%s, seed %d, %s, %s"
                            .formatted(
                                    tested.description(),
                                    seed,
                                    chosen.place().description(),
                                    chosen.disks().description()));
            List<String> heading = heading(tested, chosen, plan);
            return conclude(
                    new Campaign(
                            tested, plan, this::say, ledger -> write(new Report(ledger, heading))),
                    heading);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(specification().commandLine(), wrong.getMessage(), wrong);
        } finally {
            tidyUp();
        }
    }

    /// After every fault: whatever ends the run, what it has seen is not lost.
    private void write(Report report) {
        if (options.report != null) {
            try {
                Files.writeString(options.report, report.markdown());
            } catch (IOException e) {
                throw new UncheckedIOException("The report cannot be written", e);
            }
        }
    }

    private int conclude(Campaign campaign, List<String> heading) {
        try {
            campaign.run();
        } finally {
            Ledger ledger = campaign.ledger();
            Report report = new Report(ledger, heading);
            System.out.println(report.markdown());
            write(report);
            say(report.verdict());
        }
        return campaign.ledger().isClean() ? 0 : 1;
    }

    private ClusterUnderTest cluster(Ground chosen, Path work) {
        return switch (options.cluster) {
            case "kafka" ->
                    new KafkaCluster(
                            repository(), chosen.place(), chosen.disks(), work, options.brokers);
            case "sluice" ->
                    new SluiceCluster(
                            options.sluiceCommand == null
                                    ? SluiceCluster.script(repository())
                                    : List.of(options.sluiceCommand.trim().split(" +")),
                            chosen.place(),
                            chosen.disks(),
                            work,
                            options.brokers);
            default ->
                    throw new IllegalArgumentException(
                            "Unknown cluster '"
                                    + options.cluster
                                    + "': there are sluice and kafka");
        };
    }

    private List<String> heading(ClusterUnderTest tested, Ground chosen, CampaignPlan plan) {
        List<String> words = new ArrayList<>(List.of("./sluice", "chaos"));
        words.addAll(specification().commandLine().getParseResult().originalArgs());
        return List.of(
                "%s, %d brokers, %s"
                        .formatted(
                                tested.description(),
                                options.brokers,
                                LocalDate.now(ZoneOffset.UTC)),
                "`%s`, seed %d".formatted(String.join(" ", words), plan.seed()),
                "%s; %s; %d cores"
                        .formatted(
                                chosen.place().description(),
                                chosen.disks().description(),
                                Runtime.getRuntime().availableProcessors()),
                plan.load().toString());
    }

    private Path workFolder() {
        return options.work == null
                ? repository().resolve("chaos/target/run").resolve(options.cluster)
                : options.work.toAbsolutePath();
    }

    private static void empty(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> tree = Files.walk(folder)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
        Files.createDirectories(folder);
    }

    /// Found from where this class was loaded: `chaos/target/classes` or the jar beside it.
    private static Path repository() {
        try {
            Path code =
                    Path.of(
                            Chaos.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI());
            return code.resolve("../../..").normalize();
        } catch (URISyntaxException failure) {
            throw new IllegalStateException("Cannot find the repository", failure);
        }
    }

    /// Ends the brokers first: what they hold open cannot be unmounted. Also from the shutdown hook, when somebody has had enough.
    private synchronized void tidyUp() {
        ClusterUnderTest running = cluster;
        if (running != null) {
            running.close();
            cluster = null;
        }
        Ground made = ground;
        if (made != null) {
            made.close();
            ground = null;
        }
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
