package io.sluice.chaos.cluster;

import io.sluice.chaos.place.Command;
import io.sluice.chaos.place.Disks;
import io.sluice.chaos.place.Place;
import io.sluice.chaos.place.Port;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;

/// Apache Kafka from its Maven artifacts: every broker is a controller as well (KRaft), with Kafka's own defaults.
///
/// Owned by the campaign's thread.
public final class KafkaCluster implements ClusterUnderTest {
    private static final String CLUSTER_ID = "c2x1aWNlLWNoYW9zLXJ1bg";
    private static final Duration FORMAT_LIMIT = Duration.ofMinutes(2);

    private final KafkaDistribution distribution;
    private final Place place;
    private final Disks disks;
    private final List<BrokerProcess> brokers;

    /// Nothing runs yet. `logs` is where the brokers' output goes, away from the disks that may fail.
    public KafkaCluster(Path repository, Place place, Disks disks, Path logs, int size) {
        this.distribution = new KafkaDistribution(repository);
        this.place = place;
        this.disks = disks;
        this.brokers =
                IntStream.rangeClosed(1, size)
                        .mapToObj(
                                id ->
                                        new BrokerProcess(
                                                id,
                                                place.inside(id, command(id)),
                                                place.environment(id),
                                                logs.resolve("kafka-" + id + ".log")))
                        .toList();
    }

    @Override
    public String description() {
        return distribution.version() + " (KRaft; its defaults, but for min.insync.replicas)";
    }

    @Override
    public void install() {
        distribution.install();
        for (BrokerProcess broker : brokers) {
            Path configuration = configuration(broker.id());
            try {
                Files.writeString(configuration, serverProperties(broker.id()));
            } catch (IOException failure) {
                throw new UncheckedIOException("Cannot write " + configuration, failure);
            }
            Command.run(
                    List.of(
                            java(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            distribution.classPath(),
                            "kafka.tools.StorageTool",
                            "format",
                            "--cluster-id",
                            CLUSTER_ID,
                            "--config",
                            configuration.toString()),
                    "",
                    FORMAT_LIMIT);
        }
    }

    private List<String> command(int id) {
        List<String> words = new ArrayList<>();
        words.add(java());
        // A quarter of the heap that Kafka's own script gives: three of them share the machine with
        // the load.
        words.addAll(List.of("-Xmx512m", "-Xms256m", "-server", "-XX:+UseG1GC"));
        words.addAll(List.of("-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35"));
        words.add("-Djava.awt.headless=true");
        words.add("-Dlog4j2.configurationFile=" + distribution.logging());
        words.addAll(List.of("-cp", distribution.classPath(), "kafka.Kafka"));
        words.add(configuration(id).toString());
        return words;
    }

    private Path configuration(int id) {
        return disks.folder(id).resolve("server.properties");
    }

    private String serverProperties(int id) {
        String voters =
                IntStream.rangeClosed(1, brokers.size())
                        .mapToObj(voter -> voter + "@" + place.address(voter, Port.CONTROLLERS))
                        .collect(Collectors.joining(","));
        return """
        process.roles=broker,controller
        node.id=%1$d
        controller.quorum.voters=%2$s
        listeners=PLAINTEXT://%3$s,CONTROLLER://%4$s
        advertised.listeners=PLAINTEXT://%3$s
        inter.broker.listener.name=PLAINTEXT
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
        log.dirs=%5$s
        offsets.topic.replication.factor=3
        offsets.topic.num.partitions=4
        transaction.state.log.replication.factor=3
        transaction.state.log.min.isr=2
        group.initial.rebalance.delay.ms=0
        min.insync.replicas=%6$d
        """
                .formatted(
                        id,
                        voters,
                        place.address(id, Port.CLIENTS),
                        place.address(id, Port.CONTROLLERS),
                        disks.folder(id).resolve("data"),
                        ClusterUnderTest.minInSync(brokers.size()));
    }

    @Override
    public List<BrokerProcess> brokers() {
        return brokers;
    }

    /// Brokers name any of themselves as the controller to clients; the leader of the metadata quorum is the one who acts.
    @Override
    public OptionalInt controller(Admin admin) {
        try {
            int leader =
                    admin.describeMetadataQuorum()
                            .quorumInfo()
                            .get(10, TimeUnit.SECONDS)
                            .leaderId();
            return leader > 0 ? OptionalInt.of(leader) : OptionalInt.empty();
        } catch (ExecutionException | TimeoutException unknown) {
            return OptionalInt.empty();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", interrupted);
        }
    }

    @Override
    public Place place() {
        return place;
    }

    @Override
    public Disks disks() {
        return disks;
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
