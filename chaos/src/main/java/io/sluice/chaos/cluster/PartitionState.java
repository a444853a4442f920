package io.sluice.chaos.cluster;

import java.util.List;

/// One partition as the cluster describes it. `leader` is -1 when it has none.
///
/// Immutable.
public record PartitionState(
        int partition, int leader, List<Integer> replicas, List<Integer> inSync) {

    public PartitionState {
        replicas = List.copyOf(replicas);
        inSync = List.copyOf(inSync);
    }

    /// Led, and every replica has everything.
    public boolean isWhole() {
        return leader >= 0 && inSync.size() == replicas.size();
    }

    @Override
    public String toString() {
        return "%d: leader %s, in sync %s of %s"
                .formatted(
                        partition,
                        leader < 0 ? "none" : Integer.toString(leader),
                        inSync,
                        replicas);
    }
}
