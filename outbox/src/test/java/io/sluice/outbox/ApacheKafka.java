package io.sluice.outbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Apache Kafka 4.3.1 as a process: one node, from its Maven artifacts, which `benchmarks/peers/kafka/pom.xml` fetches.
final class ApacheKafka implements AutoCloseable {
    private static final Path MODULE =
            Path.of(System.getProperty("basedir", ".")).toAbsolutePath().normalize();
    private static final Path BENCHMARKS = MODULE.resolveSibling("benchmarks");
    private static final Path LIBRARIES = BENCHMARKS.resolve("target/peers/kafka/lib");

    private final Process process;
    private final String bootstrap;

    private ApacheKafka(Process process, String bootstrap) {
        this.process = process;
        this.bootstrap = bootstrap;
    }

    /// A parameter of type [Broker] is Apache Kafka, one for all tests.
    static final class Extension implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType().equals(Broker.class);
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return forAll(context);
        }
    }

    /// One for all tests of a JVM, stopped after the last.
    static Broker forAll(ExtensionContext context) {
        return new Broker(
                context.getRoot()
                        .getStore(ExtensionContext.Namespace.create(ApacheKafka.class))
                        .computeIfAbsent(ApacheKafka.class, _ -> start(), ApacheKafka.class)
                        .bootstrap);
    }

    static ApacheKafka start() {
        try {
            fetch();
            Path folder = Files.createTempDirectory("outbox-kafka-");
            int[] ports = freePorts();
            Path settings =
                    Files.writeString(folder.resolve("server.properties"), settings(folder, ports));
            run(
                    List.of(
                            java(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            LIBRARIES + "/*",
                            "kafka.tools.StorageTool",
                            "format",
                            "--standalone",
                            "--cluster-id",
                            "c2x1aWNlLW91dGJveC10ZQ",
                            "--config",
                            settings.toString()),
                    folder);
            Process process =
                    new ProcessBuilder(
                                    java(),
                                    "-Xmx384m",
                                    "-XX:+UseSerialGC",
                                    "-XX:TieredStopAtLevel=1",
                                    "-Dlog4j2.level=WARN",
                                    "-cp",
                                    LIBRARIES + "/*",
                                    "kafka.Kafka",
                                    settings.toString())
                            .redirectErrorStream(true)
                            .redirectOutput(Redirect.to(folder.resolve("kafka.log").toFile()))
                            .start();
            ApacheKafka kafka = new ApacheKafka(process, "127.0.0.1:" + ports[0]);
            kafka.awaitStart(folder);
            return kafka;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void fetch() throws IOException {
        if (!Files.isDirectory(LIBRARIES)) {
            String home = System.getProperty("maven.home", "");
            String maven = home.isEmpty() ? "mvn" : Path.of(home, "bin", "mvn").toString();
            run(
                    List.of(
                            maven,
                            "-q",
                            "-B",
                            "-f",
                            BENCHMARKS.resolve("peers/kafka/pom.xml").toString(),
                            "package"),
                    MODULE);
        }
    }

    private static void run(List<String> command, Path folder) throws IOException {
        Path output = Files.createTempFile("outbox-kafka-", ".log");
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            if (!process.waitFor(5, TimeUnit.MINUTES) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new AssertionError(
                        command.getFirst()
                                + " failed; this says nothing about the relay:\n"
                                + Files.readString(output));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitStart(Path folder) throws IOException {
        long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        Map<String, Object> client =
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "request.timeout.ms",
                        2_000,
                        "default.api.timeout.ms",
                        3_000);
        while (true) {
            try (Admin admin = Admin.create(client)) {
                if (!admin.describeCluster().nodes().get().isEmpty()) {
                    return;
                }
            } catch (ExecutionException e) {
                if (System.nanoTime() - deadline > 0 || !process.isAlive()) {
                    throw new AssertionError(
                            "Apache Kafka did not start:\n"
                                    + Files.readString(folder.resolve("kafka.log")),
                            e);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static String settings(Path folder, int[] ports) {
        return """
                process.roles=broker,controller
                node.id=1
                controller.quorum.bootstrap.servers=127.0.0.1:%2$d
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                inter.broker.listener.name=PLAINTEXT
                controller.listener.names=CONTROLLER
                listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
                log.dirs=%3$s
                offsets.topic.replication.factor=1
                offsets.topic.num.partitions=2
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                transaction.state.log.num.partitions=2
                """
                .formatted(ports[0], ports[1], folder.resolve("data"));
    }

    private static int[] freePorts() throws IOException {
        List<ServerSocket> sockets =
                new ArrayList<>(List.of(new ServerSocket(0), new ServerSocket(0)));
        int[] ports = sockets.stream().mapToInt(ServerSocket::getLocalPort).toArray();
        for (ServerSocket socket : sockets) {
            socket.close();
        }
        return Arrays.copyOf(ports, 2);
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
