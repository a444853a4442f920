package io.sluice.chaos.fault;

import io.sluice.chaos.cluster.ClusterEye;
import io.sluice.chaos.cluster.PartitionState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// A cluster that does what it is asked for, or nothing of it.
final class ScriptedEye implements ClusterEye {
    private static final List<Integer> REPLICAS = List.of(1, 2, 3);

    private final boolean obeys;

    ScriptedEye(boolean obeys) {
        this.obeys = obeys;
    }

    @Override
    public void awaitBrokers(int count, Duration limit) {}

    @Override
    public void createTopic(String name, int partitions) {}

    @Override
    public List<PartitionState> look(String topic) {
        return List.of(new PartitionState(0, 1, REPLICAS, REPLICAS));
    }

    @Override
    public List<PartitionState> require(String topic) {
        return look(topic);
    }

    @Override
    public OptionalInt controller() {
        return OptionalInt.of(2);
    }

    @Override
    public void drain(int broker) {}

    @Override
    public boolean awaitEmpty(int broker, String topic, Duration limit) {
        return obeys;
    }

    @Override
    public void takeInAgain(int broker) {}

    @Override
    public boolean awaitShare(int broker, Duration limit) {
        return obeys;
    }

    @Override
    public Optional<Exception> remove(int broker, Duration limit) {
        return obeys ? Optional.empty() : Optional.of(new IllegalStateException("it holds data"));
    }

    @Override
    public boolean knowsFullDisks() {
        return true;
    }

    @Override
    public boolean awaitFullDisk(int broker, Duration limit) {
        return obeys;
    }

    @Override
    public boolean awaitNoLeader(int broker, String topic, Duration limit) {
        return obeys;
    }

    @Override
    public void close() {}
}
