package io.sluice.cli.cluster;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;

/// `sluice cluster up`: several brokers on this machine, each a process with a folder of its own, until Ctrl-C.
@CommandLine.Command(
        name = "up",
        description =
                "Start a cluster on this machine to try it out: brokers with a ZooKeeper ensemble inside, one folder each.")
public final class ClusterUp implements Command {
    /// Set by the script `sluice`, which knows where it is.
    static final String LAUNCHER = "sluice.launcher";

    private static final int DEFAULT_REPLICAS = 3;
    private static final Duration READY_LIMIT = Duration.ofMinutes(2);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(200);
    private static final Duration BEFORE_RESTART = Duration.ofSeconds(1);

    @CommandLine.Option(
            names = "--brokers",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many; 3 or more survive the loss of one. Default: 3.")
    int count;

    @CommandLine.Option(
            names = "--dir",
            paramLabel = "FOLDER",
            defaultValue = "cluster",
            description = "Where their folders are made. Default: ./cluster.")
    Path folder = Path.of("cluster");

    @CommandLine.Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "9092",
            description =
                    "For Kafka clients at the first broker; the others have the ones behind it. The ensemble takes ports from 100 above. Default: 9092.")
    int port;

    @CommandLine.Option(
            names = "--admin-port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description =
                    "For health and metrics of the first broker; the others have the ones behind it. Default: 8080.")
    int adminPort;

    @CommandLine.Option(
            names = "--restart",
            description = "Start a broker again that ends by itself or is killed.")
    boolean restart;

    @Override
    public ExitCode run(Session session) throws IOException, InterruptedException {
        if (count < 1 || count > 9) {
            throw Failure.usage("--brokers takes 1 to 9, not " + count + ".");
        }
        var ports = new LocalPorts(port, adminPort, count);
        ports.check();
        localFolder().requireMadeFor(count);
        String launcher = System.getProperty(LAUNCHER, "");
        if (launcher.isEmpty()) {
            throw new Failure(
                    ExitCode.FAILED,
                    "No broker can be started from here: run it as ./sluice cluster up.");
        }
        ports.requireFree();
        List<LocalBroker> brokers = brokers(ports);
        session.onInterrupt(() -> stopAll(session, brokers));
        boolean up = false;
        try {
            for (LocalBroker broker : brokers) {
                broker.launch(launcher, sharedFlags(ports));
            }
            awaitReady(session, brokers);
            up = true;
        } finally {
            if (!up) {
                brokers.forEach(LocalBroker::stop);
            }
        }
        show(session, brokers);
        return watch(session, brokers);
    }

    /// Until all have ended. A broker that ends unasked is told of, with what to do: the others go on without it.
    private ExitCode watch(Session session, List<LocalBroker> brokers)
            throws IOException, InterruptedException {
        boolean lost = false;
        do {
            Thread.sleep(LOOK_AGAIN);
            for (LocalBroker broker : brokers) {
                if (broker.hasDied()) {
                    lost |= !restart;
                    bury(session, broker);
                }
            }
        } while (brokers.stream().anyMatch(LocalBroker::isRunning));
        return lost ? ExitCode.FAILED : ExitCode.OK;
    }

    private void bury(Session session, LocalBroker broker)
            throws IOException, InterruptedException {
        session.note(
                "Broker "
                        + broker.id()
                        + " has ended with exit code "
                        + broker.exitCode()
                        + "; the others go on. The end of "
                        + broker.log()
                        + ":\n"
                        + broker.lastLines());
        if (restart) {
            Thread.sleep(BEFORE_RESTART);
            broker.launchAgain();
            session.note("Broker " + broker.id() + " is started again.");
        } else {
            broker.giveUp();
            session.note(
                    "Start it again with: "
                            + broker.command()
                            + "\nOr use --restart, and it is done for you.");
        }
    }

    private LocalFolder localFolder() {
        return new LocalFolder(folder.toAbsolutePath());
    }

    private List<LocalBroker> brokers(LocalPorts ports) {
        List<LocalBroker> brokers = new ArrayList<>();
        for (int id = 1; id <= count; id++) {
            brokers.add(
                    new LocalBroker(id, localFolder().of(id), ports.kafka(id), ports.admin(id)));
        }
        return brokers;
    }

    private List<String> sharedFlags(LocalPorts ports) {
        List<String> members = new ArrayList<>();
        for (int id = 1; id <= count; id++) {
            members.add(
                    id
                            + "@localhost:"
                            + ports.ensemble(id).stream()
                                    .map(String::valueOf)
                                    .collect(Collectors.joining(":")));
        }
        List<String> flags = new ArrayList<>();
        flags.add("--cluster.ensemble=" + String.join(",", members));
        if (count >= DEFAULT_REPLICAS) {
            // One of them may be killed, and what was acknowledged has two copies all the same.
            flags.add("--topic.min.insync.replicas=2");
        }
        return flags;
    }

    private static void awaitReady(Session session, List<LocalBroker> brokers)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + READY_LIMIT.toNanos();
        session.note("Starting " + brokers.size() + " brokers …");
        for (LocalBroker broker : brokers) {
            while (!broker.isReady()) {
                if (System.nanoTime() > deadline) {
                    throw new Failure(
                            ExitCode.TIMEOUT,
                            "Broker "
                                    + broker.id()
                                    + " is not ready after "
                                    + READY_LIMIT.toSeconds()
                                    + " s; see "
                                    + broker.log()
                                    + ".");
                }
                Thread.sleep(100);
            }
        }
    }

    private static void show(Session session, List<LocalBroker> brokers) {
        List<Fields> rows =
                brokers.stream()
                        .map(
                                broker ->
                                        Fields.of("id", Value.count(broker.id()))
                                                .with("kafka", Value.text(broker.bootstrap()))
                                                .with("admin", Value.text(broker.adminUrl()))
                                                .with(
                                                        "folder",
                                                        Value.text(broker.folder().toString())))
                        .toList();
        session.printer()
                .print(
                        Listing.of(
                                List.of(
                                        Column.of("id", "BROKER"),
                                        Column.of("kafka", "KAFKA"),
                                        Column.of("admin", "HEALTH AND METRICS"),
                                        Column.of("folder", "FOLDER")),
                                rows));
        session.note(
                "bootstrap.servers="
                        + brokers.stream()
                                .map(LocalBroker::bootstrap)
                                .collect(Collectors.joining(","))
                        + "  Stop with Ctrl-C.");
    }

    private static void stopAll(Session session, List<LocalBroker> brokers) {
        for (LocalBroker broker : brokers.reversed()) {
            session.note("Stopping broker " + broker.id() + " …");
            broker.stop();
        }
    }
}
