package io.sluice.conformance.launcher;

import static io.sluice.conformance.launcher.Installation.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.SteadyPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `sluice cluster up` as somebody uses it who wants to look at a cluster: three brokers on ports and in a folder of his choice, one of them killed, Ctrl-C, and once more on the same folder.
@Tag("launcher")
class ClusterUpIT {
    private static final int BROKERS = 3;
    private static final int KILLED = 2;

    /// The ensemble's ports are between.
    private static final int TO_ADMIN = 150;

    private final Path folder;
    private final Installation installation;
    private final int port;
    private final int adminPort;

    ClusterUpIT(@TempDir Path folder, @TempDir Path installed) throws IOException {
        this.folder = folder.toRealPath();
        installation = Installation.built(installed.toRealPath(), "sluice-home").withoutTraining();
        port = freePorts();
        adminPort = port + TO_ADMIN;
    }

    /// The first of all that the command uses: for clients, for the ensemble behind them, and for the admin addresses.
    private static int freePorts() {
        while (true) {
            int first = SteadyPorts.next();
            if (IntStream.range(0, TO_ADMIN + BROKERS).allMatch(more -> isFree(first + more))) {
                return first;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    @Test
    @DisplayName(
            "Three brokers start, survive the loss of one, end with Ctrl-C, and have everything when they are started again")
    void aClusterToLookAt() throws IOException {
        try (Shell.Running cluster = up()) {
            awaitReady(cluster);
            List<ProcessHandle> brokers = brokers(cluster);
            assertThat(sluice("topic", "create", "orders", "--partitions", "3").exitCode())
                    .isZero();
            assertThat(sluice("topic", "describe", "orders", "-o", "json").out())
                    .as("three replicas by default")
                    .containsPattern("\"replicas\": \\[\\s*\\d,\\s*\\d,\\s*\\d\\s*]")
                    .as("and two that acknowledge")
                    .containsPattern("\"min.insync.replicas\"[^}]*\"2\"");
            assertThat(sluice("send", "orders", "before").exitCode()).isZero();
            assertThat(read()).containsExactly("before");

            brokers.get(KILLED - 1).destroyForcibly();
            await(() -> cluster.err().contains("Broker 2 has ended with exit code 137"), cluster);
            assertThat(cluster.err())
                    .contains("the others go on", "Start it again with: ", "--node.id=2");
            for (int partition = 0; partition < 3; partition++) {
                Shell.Result sent =
                        sluice("send", "orders", "without " + partition, "-p", "" + partition);
                assertThat(sent.exitCode()).as(sent.err()).isZero();
            }
            assertThat(read())
                    .containsExactlyInAnyOrder("before", "without 0", "without 1", "without 2");

            Shell.Result end = interrupt(cluster);
            // 128 + 2: the JVM has stopped in order and names the signal that asked for it.
            assertThat(end.exitCode()).as(end.err()).isEqualTo(130);
            assertThat(end.err())
                    .contains("Stopping broker 1", "Stopping broker 2", "Stopping broker 3")
                    .doesNotContain("Exception", "\tat ");
            assertThat(brokers).noneMatch(ProcessHandle::isAlive);
        }
        try (Shell.Running again = up()) {
            awaitReady(again);
            brokers(again);
            await(() -> sluice("cluster", "health").exitCode() == 0, again);
            assertThat(read())
                    .containsExactlyInAnyOrder("before", "without 0", "without 1", "without 2");
            assertThat(sluice("send", "orders", "after").exitCode()).isZero();
            assertThat(read()).hasSize(5).contains("after");
        }
    }

    /// A test that was started in the background of a shell has SIGINT ignored, and so would have what it starts; `env` makes that good.
    private Shell.Running up() {
        return installation
                .shell()
                .in(folder)
                .start(
                        words(
                                "/usr/bin/env",
                                "--default-signal=INT",
                                installation.home().resolve("sluice").toString(),
                                "cluster",
                                "up",
                                "--brokers",
                                "" + BROKERS,
                                "--port",
                                "" + port,
                                "--admin-port",
                                "" + adminPort,
                                "--dir",
                                "some where/cluster"));
    }

    private void awaitReady(Shell.Running cluster) {
        await(() -> cluster.err().contains("Stop with Ctrl-C."), cluster);
        assertThat(cluster.err())
                .contains(
                        "bootstrap.servers=localhost:%d,localhost:%d,localhost:%d"
                                .formatted(port, port + 1, port + 2));
        for (int id = 1; id <= BROKERS; id++) {
            assertThat(cluster.out())
                    .contains("localhost:" + (port + id - 1))
                    .contains("http://localhost:" + (adminPort + id - 1))
                    .contains(folderOf(id).toString());
            assertThat(folderOf(id).resolve("data/log")).isDirectory();
        }
    }

    private Path folderOf(int id) {
        return folder.resolve("some where/cluster/broker-" + id);
    }

    /// By their ids, from 1.
    private static List<ProcessHandle> brokers(Shell.Running cluster) {
        List<ProcessHandle> brokers = new ArrayList<>();
        for (int id = 1; id <= BROKERS; id++) {
            String flag = "--node.id=" + id;
            List<ProcessHandle> found =
                    cluster.process()
                            .descendants()
                            .filter(one -> arguments(one).anyMatch(flag::equals))
                            .toList();
            assertThat(found).as("broker %d", id).hasSize(1);
            brokers.addAll(found);
        }
        return brokers;
    }

    private static Stream<String> arguments(ProcessHandle process) {
        return process.info().arguments().stream().flatMap(Arrays::stream);
    }

    private static Shell.Result interrupt(Shell.Running cluster) throws IOException {
        new ProcessBuilder("kill", "-INT", "" + cluster.process().pid()).inheritIO().start();
        return cluster.await();
    }

    private Shell.Result sluice(String... line) {
        return installation
                .shell()
                .with(
                        "SLUICE_BOOTSTRAP",
                        "localhost:%d,localhost:%d".formatted(port, port + BROKERS - 1))
                .run(words("./sluice", line));
    }

    private List<String> read() {
        Shell.Result result = sluice("tail", "orders", "--beginning", "--values");
        assertThat(result.exitCode()).as(result.err()).isZero();
        return result.out().lines().toList();
    }

    private static void await(BooleanSupplier condition, Shell.Running cluster) {
        cluster.awaitOut(_ -> condition.getAsBoolean());
    }
}
