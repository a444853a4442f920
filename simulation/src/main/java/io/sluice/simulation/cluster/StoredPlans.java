package io.sluice.simulation.cluster;

import io.sluice.env.Coordination.Node;
import io.sluice.record.PartitionId;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The plan of all partitions as the metadata store has it at this moment. Owned by its run.
public final class StoredPlans {
    private static final String TOPICS = "/topics/";
    private static final Comparator<PartitionId> ORDER =
            Comparator.comparing(PartitionId::topic).thenComparingInt(PartitionId::index);

    private final SortedMap<PartitionId, StoredPlan> plans = new TreeMap<>(ORDER);

    /// Told of a plan before and after a change; null where there was or is none.
    interface Listener {
        void changed(@Nullable StoredPlan before, @Nullable StoredPlan after);
    }

    void take(SortedMap<String, Node> before, SortedMap<String, Node> after, Listener listener) {
        after.tailMap(TOPICS)
                .forEach(
                        (path, node) -> {
                            if (path.startsWith(TOPICS) && !node.equals(before.get(path))) {
                                take(path.substring(TOPICS.length()), node.value(), listener);
                            }
                        });
    }

    private void take(String topic, String text, Listener listener) {
        SortedMap<PartitionId, StoredPlan> now = new TreeMap<>(ORDER);
        StoredPlan.read(topic, text, now);
        now.forEach(
                (id, plan) -> {
                    StoredPlan before = plans.put(id, plan);
                    if (!plan.equals(before)) {
                        listener.changed(before, plan);
                    }
                });
    }

    public Collection<StoredPlan> all() {
        return Collections.unmodifiableCollection(plans.values());
    }

    /// Where the log of the partition's leader ends; -1 when nobody leads.
    long endAtLeader(PartitionId id, ReplicaLogs logs) {
        StoredPlan plan = plans.get(id);
        return plan == null || plan.leader() < 0 ? -1 : logs.of(plan.leader(), id).endOffset();
    }

    public @Nullable StoredPlan find(PartitionId id) {
        return plans.get(id);
    }
}
