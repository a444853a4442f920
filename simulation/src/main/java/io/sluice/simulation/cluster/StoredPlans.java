package io.sluice.simulation.cluster;

import io.sluice.env.Coordination.Node;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
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
        for (String path : before.tailMap(TOPICS).keySet()) {
            if (path.startsWith(TOPICS) && !after.containsKey(path)) {
                of(path.substring(TOPICS.length())).forEach(plan -> remove(plan, listener));
            }
        }
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
        for (StoredPlan old : of(topic)) {
            StoredPlan next = now.get(old.id());
            if (next == null || !next.topic().equals(old.topic())) {
                remove(old, listener);
            }
        }
        now.forEach(
                (id, plan) -> {
                    StoredPlan before = plans.put(id, plan);
                    if (!plan.equals(before)) {
                        listener.changed(before, plan);
                    }
                });
    }

    private void remove(StoredPlan plan, Listener listener) {
        plans.remove(plan.id());
        listener.changed(plan, null);
    }

    /// Those of one topic, in order; none when there is no topic of this name.
    List<StoredPlan> of(String topic) {
        List<StoredPlan> found = new ArrayList<>();
        for (StoredPlan plan : plans.values()) {
            if (plan.id().topic().equals(topic)) {
                found.add(plan);
            }
        }
        return found;
    }

    public Collection<StoredPlan> all() {
        return Collections.unmodifiableCollection(plans.values());
    }

    /// Where the log of the partition's leader ends; -1 when nobody leads.
    long endAtLeader(PartitionId id, ReplicaLogs logs) {
        StoredPlan plan = plans.get(id);
        return plan == null || plan.leader() < 0 ? -1 : logs.of(plan.leader(), id).endOffset();
    }

    /// Its topic was not deleted.
    boolean has(PartitionLife life) {
        StoredPlan plan = plans.get(life.id());
        return plan != null && plan.topic().equals(life.topic());
    }

    public @Nullable StoredPlan find(PartitionId id) {
        return plans.get(id);
    }
}
