package io.sluice.benchmarks;

import io.sluice.benchmarks.measure.Pace;
import io.sluice.benchmarks.peer.KafkaPeer;
import io.sluice.benchmarks.peer.Peer;
import io.sluice.benchmarks.peer.SluicePeer;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// What the user can choose on the command line.
final class Options {
    @Option(
            names = "--rounds",
            paramLabel = "n",
            description = "Turns of each broker (default: ${DEFAULT-VALUE}).")
    int rounds = 3;

    @Option(
            names = "--nodes",
            paramLabel = "n",
            description =
                    "Brokers of each cluster: 1, or 3 and more with three replicas of everything"
                            + " (default: ${DEFAULT-VALUE}).")
    int nodes = 1;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "measure",
            description =
                    "Any of startup, idle, small, produce, fetch, latency, loaded, partitions,"
                            + " presets; of a cluster any of startup, idle, small, produce,"
                            + " latency, loaded, controller (default: all but presets).")
    List<String> only = new ArrayList<>();

    @Option(
            names = "--brokers",
            split = ",",
            paramLabel = "broker",
            description = "Who takes part, in this order (default: kafka,sluice).")
    List<String> brokers = List.of(KafkaPeer.NAME, SluicePeer.NAME);

    @Option(names = "--quick", description = "A short run that only shows that everything works.")
    boolean quick;

    @Option(
            names = "--warm-up",
            paramLabel = "seconds",
            description = "Unmeasured load before each figure.")
    @Nullable Integer warmUpSeconds;

    @Option(
            names = "--seconds",
            paramLabel = "seconds",
            description = "Measured load for each figure.")
    @Nullable Integer measuredSeconds;

    @Option(
            names = "--partitions",
            split = ",",
            paramLabel = "count",
            description =
                    "The counts of the measure 'partitions' (default: 1000,5000,10000) or"
                            + " 'controller' (default: 10000).")
    List<Integer> partitionCounts = new ArrayList<>();

    @Option(
            names = "--in-flight",
            paramLabel = "n",
            description =
                    "Adds small requests with this many in flight per connection (default: 1, none"
                            + " added).")
    int inFlight = 1;

    @Option(
            names = "--sluice-command",
            paramLabel = "command",
            description =
                    "Starts Sluice; {data}, {port} and {adminPort} are filled in (default: the"
                            + " repository's ./sluice up).")
    @Nullable String sluiceCommand;

    @Option(
            names = "--maven",
            paramLabel = "command",
            description = "Fetches Kafka (default: mvn).")
    String maven = "mvn";

    @Option(
            names = "--work",
            paramLabel = "folder",
            description = "Where the brokers keep their data (default: benchmarks/target/compare).")
    @Nullable Path work;

    @Option(
            names = "--markdown",
            paramLabel = "file",
            description = "Writes the report there as well.")
    @Nullable Path markdown;

    @Option(names = "--csv", paramLabel = "file", description = "Writes every single reading.")
    @Nullable Path csv;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this.")
    boolean help;

    Pace pace() {
        Pace pace = quick ? Pace.quick() : isCluster() ? Pace.fullCluster() : Pace.full();
        if (warmUpSeconds != null) {
            pace = pace.withWarmUp(Duration.ofSeconds(warmUpSeconds));
        }
        if (measuredSeconds != null) {
            pace = pace.withMeasured(Duration.ofSeconds(measuredSeconds));
        }
        return partitionCounts.isEmpty() ? pace : pace.withPartitionCounts(partitionCounts);
    }

    boolean isCluster() {
        return nodes > 1;
    }

    /// Two brokers are no cluster that survives anything; more than nine fit on no machine that has them all.
    @Nullable String findMistake() {
        return nodes == 2 || nodes < 1 || nodes > 9
                ? "--nodes takes 1, or 3 to 9, not " + nodes + "."
                : null;
    }

    Path workFolder() {
        return work == null ? benchmarksFolder().resolve("target/compare") : work.toAbsolutePath();
    }

    List<Peer> peers() {
        return brokers.stream().map(this::peer).toList();
    }

    private Peer peer(String name) {
        return switch (name) {
            case KafkaPeer.NAME -> new KafkaPeer(benchmarksFolder(), maven);
            case SluicePeer.NAME ->
                    new SluicePeer(
                            sluiceCommand == null
                                    ? SluicePeer.defaultCommand(
                                            benchmarksFolder().resolve("..").normalize())
                                    : sluiceCommand);
            default ->
                    throw new IllegalArgumentException(
                            "Unknown broker '" + name + "': there are kafka and sluice.");
        };
    }

    /// The module's folder, found from where this class was loaded: `benchmarks/target/classes` or the jar beside it.
    private static Path benchmarksFolder() {
        try {
            Path code =
                    Path.of(
                            Options.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI());
            return code.toAbsolutePath().resolve("../..").normalize();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
