package io.sluice.simulation.cluster;

import io.sluice.record.PartitionId;
import java.util.HashMap;
import java.util.Map;

/// What is on the disks of all brokers. Owned by its run.
public final class ReplicaLogs {
    private final Cluster cluster;
    private final Map<Replica, ReplicaLog> logs = new HashMap<>();

    /// One partition on one broker.
    public record Replica(int broker, PartitionId partition) {}

    ReplicaLogs(Cluster cluster) {
        this.cluster = cluster;
    }

    /// As it is now; not to be kept.
    public ReplicaLog of(int broker, PartitionId partition) {
        SimBroker machine = cluster.broker(broker);
        Replica key = new Replica(broker, partition);
        ReplicaLog log = logs.get(key);
        if (log == null || !log.isOn(machine.disk())) {
            log = new ReplicaLog(machine.disk(), partition);
            logs.put(key, log);
        }
        log.refresh();
        return log;
    }
}
