package io.sluice.simulation.cluster;

import io.sluice.record.PartitionId;
import java.util.HashMap;
import java.util.Map;

/// What is on the disks of all brokers. Owned by its run.
public final class ReplicaLogs {
    private final Cluster cluster;
    private final Map<String, ReplicaLog> logs = new HashMap<>();

    ReplicaLogs(Cluster cluster) {
        this.cluster = cluster;
    }

    public ReplicaLog of(int broker, PartitionId partition) {
        SimBroker machine = cluster.broker(broker);
        String key = broker + " " + partition;
        ReplicaLog log = logs.get(key);
        if (log == null || !log.isOn(machine.disk())) {
            log = new ReplicaLog(machine.disk(), partition);
            logs.put(key, log);
        }
        return log;
    }
}
