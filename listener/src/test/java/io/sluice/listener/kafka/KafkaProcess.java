package io.sluice.listener.kafka;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;

/// An Apache Kafka of a test's own: one node, one process.
final class KafkaProcess implements AutoCloseable {
    /// Where `mvn -f benchmarks/peers/kafka package` puts it.
    private static final Path LIBRARIES =
            Path.of(
                    System.getProperty(
                            "sluice.kafka.libraries", "../benchmarks/target/peers/kafka/lib"));

    final String servers;
    private final Process process;

    static boolean isInstalled() {
        return Files.isDirectory(LIBRARIES);
    }

    KafkaProcess(Path folder) throws Exception {
        int port = freePort();
        int controller = freePort();
        servers = "127.0.0.1:" + port;
        Path settings = folder.resolve("server.properties");
        Files.writeString(
                settings,
                """
                process.roles=broker,controller
                node.id=1
                controller.quorum.bootstrap.servers=127.0.0.1:%2$d
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                inter.broker.listener.name=PLAINTEXT
                controller.listener.names=CONTROLLER
                listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
                log.dirs=%3$s
                offsets.topic.replication.factor=1
                offsets.topic.num.partitions=1
                share.coordinator.state.topic.replication.factor=1
                share.coordinator.state.topic.min.isr=1
                share.coordinator.state.topic.num.partitions=1
                group.share.min.record.lock.duration.ms=1000
                group.share.record.lock.duration.ms=10000
                group.initial.rebalance.delay.ms=0
                """
                        .formatted(port, controller, folder.resolve("data")));
        Process format =
                start(
                        folder,
                        "kafka.tools.StorageTool",
                        "format",
                        "--standalone",
                        "--cluster-id",
                        "c2x1aWNlLWxpc3RlbmVyc3Q",
                        "--config",
                        settings.toString());
        if (!format.waitFor(2, TimeUnit.MINUTES) || format.exitValue() != 0) {
            throw new IOException("Kafka's folder could not be formatted: " + log(folder));
        }
        process = start(folder, "kafka.Kafka", settings.toString());
        awaitReady(folder);
    }

    private static Process start(Path folder, String... command) throws IOException {
        List<String> all =
                new java.util.ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx512m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                LIBRARIES.toAbsolutePath() + "/*"));
        all.addAll(List.of(command));
        return new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log.txt").toFile()))
                .start();
    }

    private void awaitReady(Path folder) throws Exception {
        for (int i = 0; i < 200; i++) {
            try (Admin admin =
                    Admin.create(
                            Map.of(
                                    "bootstrap.servers",
                                    servers,
                                    "default.api.timeout.ms",
                                    2_000,
                                    "request.timeout.ms",
                                    2_000))) {
                if (!admin.describeCluster().nodes().get().isEmpty()) {
                    return;
                }
            } catch (java.util.concurrent.ExecutionException e) {
                if (!process.isAlive()) {
                    break;
                }
            }
        }
        close();
        throw new IOException("Kafka did not start: " + log(folder));
    }

    private static String log(Path folder) throws IOException {
        return Files.readString(folder.resolve("log.txt"));
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
