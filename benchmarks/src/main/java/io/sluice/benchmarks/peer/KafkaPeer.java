package io.sluice.benchmarks.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.QuorumInfo;

/// Apache Kafka from its Maven artifacts: KRaft, the settings and the JVM flags of its own distribution. In a cluster every node is broker and controller.
///
/// Two things that its start script adds are left out, both in Kafka's favour: the JMX agent and the log of the garbage collector.
///
/// Immutable.
public record KafkaPeer(Path benchmarks, String maven) implements Peer {
    public static final String NAME = "kafka";

    private static final Duration INSTALL_LIMIT = Duration.ofMinutes(10);
    private static final Duration FORMAT_LIMIT = Duration.ofMinutes(1);
    private static final String CLUSTER_ID = "c2x1aWNlLWJlbmNobWFyaw";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        try (Stream<Path> jars = Files.list(libraries())) {
            return jars.map(jar -> jar.getFileName().toString())
                    .filter(name -> name.startsWith("kafka_2.13-"))
                    .map(name -> name.replaceAll("kafka_2.13-(.*)\\.jar", "Apache Kafka $1"))
                    .findFirst()
                    .orElse("Apache Kafka (not installed)");
        } catch (IOException absent) {
            return "Apache Kafka (not installed)";
        }
    }

    @Override
    public void install() {
        if (Files.isDirectory(libraries())) {
            return;
        }
        Path project = benchmarks.resolve("peers/kafka/pom.xml");
        ChildProcess.run(
                List.of(maven, "-q", "-B", "-f", project.toString(), "package"), INSTALL_LIMIT);
    }

    @Override
    public void prepare(Site site) {
        for (Place place : site.places()) {
            try {
                Files.writeString(configuration(place), serverProperties(site, place));
            } catch (IOException failure) {
                throw new UncheckedIOException("Cannot write Kafka's configuration", failure);
            }
            List<String> command = new ArrayList<>(List.of(java(), "-XX:TieredStopAtLevel=1"));
            command.addAll(List.of("-cp", classPath(), "kafka.tools.StorageTool", "format"));
            command.addAll(List.of("--cluster-id", CLUSTER_ID));
            command.addAll(List.of("--config", configuration(place).toString()));
            if (!site.isCluster()) {
                command.add("--standalone");
            }
            ChildProcess.run(command, FORMAT_LIMIT);
        }
    }

    @Override
    public List<String> startCommand(Site site, Place place) {
        List<String> command = new ArrayList<>();
        command.add(java());
        // KAFKA_HEAP_OPTS and KAFKA_JVM_PERFORMANCE_OPTS as kafka-server-start.sh and
        // kafka-run-class.sh set them.
        command.addAll(List.of("-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC"));
        command.addAll(List.of("-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35"));
        command.addAll(List.of("-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true"));
        command.add("-Dlog4j2.configurationFile=" + benchmarks.resolve("peers/kafka/log4j2.yaml"));
        command.addAll(List.of("-cp", classPath(), "kafka.Kafka"));
        command.add(configuration(place).toString());
        return command;
    }

    private static Path configuration(Place place) {
        return place.folder().resolve("server.properties");
    }

    /// Kafka's `config/server.properties` with this place's folder and ports, and with the cluster's replicas for what Kafka itself keeps in topics.
    private static String serverProperties(Site site, Place place) {
        return """
        process.roles=broker,controller
        node.id=%1$d
        %2$s
        listeners=PLAINTEXT://127.0.0.1:%3$d,CONTROLLER://127.0.0.1:%4$d
        inter.broker.listener.name=PLAINTEXT
        advertised.listeners=PLAINTEXT://127.0.0.1:%3$d
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
        num.network.threads=3
        num.io.threads=8
        socket.send.buffer.bytes=102400
        socket.receive.buffer.bytes=102400
        socket.request.max.bytes=104857600
        log.dirs=%5$s
        num.partitions=1
        num.recovery.threads.per.data.dir=2
        offsets.topic.replication.factor=%6$d
        share.coordinator.state.topic.replication.factor=%6$d
        share.coordinator.state.topic.min.isr=%7$d
        transaction.state.log.replication.factor=%6$d
        transaction.state.log.min.isr=%7$d
        log.retention.hours=168
        log.segment.bytes=1073741824
        log.retention.check.interval.ms=300000
        """
                .formatted(
                        place.id(),
                        quorum(site),
                        place.port(),
                        place.secondPort(),
                        place.data(),
                        site.replicas(),
                        site.minInSync());
    }

    private static String quorum(Site site) {
        if (!site.isCluster()) {
            return "controller.quorum.bootstrap.servers=127.0.0.1:"
                    + site.places().getFirst().secondPort();
        }
        return "controller.quorum.voters="
                + site.places().stream()
                        .map(place -> place.id() + "@127.0.0.1:" + place.secondPort())
                        .collect(Collectors.joining(","));
    }

    /// Brokers name any of themselves as the controller to clients; the leader of the metadata quorum is the one who acts.
    @Override
    public OptionalInt controller(Admin admin) {
        QuorumInfo quorum = ClusterQuestion.ask(admin.describeMetadataQuorum().quorumInfo());
        return quorum == null || quorum.leaderId() < 1
                ? OptionalInt.empty()
                : OptionalInt.of(quorum.leaderId());
    }

    private String classPath() {
        return libraries() + "/*";
    }

    private Path libraries() {
        return benchmarks.resolve("target/peers/kafka/lib");
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
