package io.sluice.chaos.fault;

import io.sluice.chaos.cluster.BrokerProcess;
import io.sluice.chaos.cluster.ClusterEye;
import io.sluice.chaos.cluster.ClusterUnderTest;
import io.sluice.chaos.cluster.PartitionState;
import io.sluice.chaos.place.Cuts;
import io.sluice.chaos.place.DiskTroubles;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// The cluster in the moment before a fault: who is what, and by which dice the fault chooses.
///
/// Owned by the campaign's thread.
public final class Scene {
    private final ClusterUnderTest cluster;
    private final ClusterEye eye;
    private final String topic;
    private final List<PartitionState> partitions;
    private final OptionalInt controller;
    private final Random random;
    private final Pace pace;
    private final Consumer<String> findings;

    /// @param findings takes what should have come of a fault and did not, a sentence each
    public Scene(
            ClusterUnderTest cluster,
            ClusterEye eye,
            String topic,
            Random random,
            Pace pace,
            Consumer<String> findings) {
        this.cluster = cluster;
        this.eye = eye;
        this.topic = topic;
        this.partitions = eye.require(topic);
        this.controller = eye.controller();
        this.random = random;
        this.pace = pace;
        this.findings = findings;
    }

    public ClusterUnderTest cluster() {
        return cluster;
    }

    /// Notes what should have come of a fault and did not: such a run is not clean.
    void require(boolean isSo, String otherwise) {
        if (!isSo) {
            findings.accept(otherwise);
        }
    }

    ClusterEye eye() {
        return eye;
    }

    String topic() {
        return topic;
    }

    BrokerProcess broker(int id) {
        return cluster.broker(id);
    }

    List<Integer> brokersBut(int id) {
        return cluster.brokers().stream()
                .map(BrokerProcess::id)
                .filter(other -> other != id)
                .toList();
    }

    boolean isController(int id) {
        return controller.isPresent() && controller.getAsInt() == id;
    }

    OptionalInt controller() {
        return controller;
    }

    SortedSet<Integer> ledBy(int id) {
        return partitions.stream()
                .filter(state -> state.leader() == id)
                .map(PartitionState::partition)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    SortedSet<Integer> notLedBy(int id) {
        SortedSet<Integer> others = allPartitions();
        others.removeAll(ledBy(id));
        return others;
    }

    SortedSet<Integer> allPartitions() {
        return partitions.stream()
                .map(PartitionState::partition)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /// "broker 2 (leader of 0, 3; controller)".
    String describe(int id) {
        SortedSet<Integer> led = ledBy(id);
        String roles =
                led.isEmpty()
                        ? "leads nothing"
                        : "leader of "
                                + led.stream()
                                        .map(String::valueOf)
                                        .collect(Collectors.joining(","));
        return "broker %d (%s%s)".formatted(id, roles, isController(id) ? "; controller" : "");
    }

    <T> T choose(List<T> options) {
        return options.get(random.nextInt(options.size()));
    }

    /// Between the two, as the campaign's pace has it.
    Duration between(double fromSeconds, double toSeconds) {
        return pace.between(fromSeconds, toSeconds, random);
    }

    Cuts cuts() {
        Cuts cuts = cluster.place().cuts();
        if (cuts == null) {
            throw new IllegalStateException("This place has no cuts");
        }
        return cuts;
    }

    DiskTroubles disks() {
        DiskTroubles troubles = cluster.disks().troubles();
        if (troubles == null) {
            throw new IllegalStateException("These disks cannot be troubled");
        }
        return troubles;
    }
}
