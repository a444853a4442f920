package io.sluice.simulation.cluster;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.record.PartitionId;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A metadata store as a broker uses it that notes a plan before it has done what that says. If the store was lost meanwhile, and the plan ends a term of this broker, nothing is done; and when the plan comes again, it is known already.
final class NotedTooEarly implements Coordination {
    private static final String TOPICS = "/topics/";

    private final Coordination inner;
    private final int self;
    private final SortedMap<String, Node> plans = new TreeMap<>();
    private boolean lost;

    NotedTooEarly(Coordination inner, int self) {
        this.inner = inner;
        this.self = self;
    }

    @Override
    public Reply<SortedMap<String, Node>> load(Mailbox home, String path) {
        return inner.load(home, path);
    }

    @Override
    public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
        return inner.commit(home, changes);
    }

    @Override
    public void watch(Mailbox home, Watcher watcher) {
        inner.watch(
                home,
                new Watcher() {
                    @Override
                    public void loaded(SortedMap<String, Node> all) {
                        SortedMap<String, Node> taken = new TreeMap<>(all);
                        if (lost) {
                            lost = false;
                            plans.forEach((path, before) -> note(path, before, taken));
                        }
                        plans.clear();
                        taken.forEach(NotedTooEarly.this::remember);
                        watcher.loaded(taken);
                    }

                    @Override
                    public void changed(String path, @Nullable Node node) {
                        remember(path, node);
                        watcher.changed(path, node);
                    }

                    @Override
                    public void suspended() {
                        lost = true;
                        watcher.suspended();
                    }

                    @Override
                    public void expired() {
                        lost = true;
                        watcher.expired();
                    }
                });
    }

    private void remember(String path, @Nullable Node node) {
        if (path.startsWith(TOPICS)) {
            if (node == null) {
                plans.remove(path);
            } else {
                plans.put(path, node);
            }
        }
    }

    /// The number of the new plan, and what the old one says.
    private void note(String path, Node before, SortedMap<String, Node> taken) {
        Node now = taken.get(path);
        if (now != null && now.created() == before.created() && endsATerm(path, before, now)) {
            taken.put(path, new Node(before.value(), now.version(), now.created()));
        }
    }

    private boolean endsATerm(String path, Node before, Node now) {
        SortedMap<PartitionId, StoredPlan> next = read(path, now);
        for (StoredPlan plan : read(path, before).values()) {
            StoredPlan present = next.get(plan.id());
            if (plan.leader() == self && present != null && present.leader() != self) {
                return true;
            }
        }
        return false;
    }

    private static SortedMap<PartitionId, StoredPlan> read(String path, Node node) {
        SortedMap<PartitionId, StoredPlan> plans = new TreeMap<>();
        StoredPlan.read(path.substring(TOPICS.length()), node.value(), plans);
        return plans;
    }
}
