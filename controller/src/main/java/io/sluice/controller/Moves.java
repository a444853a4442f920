package io.sluice.controller;

import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Moves of replicas between brokers: the new ones first, and the old ones go when the new ones have caught up (Q27). Pure.
///
/// ```
///  1,2,3 ── move to 4,2,3 ──▶ 4,2,3,1 adding 4 removing 1 ── 4 is in sync ──▶ 4,2,3
///                                        └── taken back ──▶ 2,3,1
/// ```
/// Never are there fewer replicas than before until there are enough new ones.
final class Moves {
    private Moves() {}

    /// Moves under way and those that wait.
    static List<Move> of(ClusterView view) {
        SortedMap<PartitionId, Move> moves = new TreeMap<>();
        for (TopicPlan topic : view.topics()) {
            for (int i = 0; i < topic.partitions().size(); i++) {
                PartitionPlan plan = topic.partitions().get(i);
                if (plan.isMoving()) {
                    PartitionId id = new PartitionId(topic.name(), i);
                    moves.put(
                            id,
                            new Move(id, plan.replicas(), plan.adding(), plan.removing(), false));
                }
            }
        }
        for (MoveQueue queue : view.upcoming().moves().values()) {
            queue.targets()
                    .forEach(
                            (index, target) -> {
                                PartitionId id = new PartitionId(queue.topic(), index);
                                PartitionPlan plan = view.findPartition(id);
                                if (plan != null) {
                                    moves.put(id, waiting(id, plan, target));
                                }
                            });
        }
        return List.copyOf(moves.values());
    }

    private static Move waiting(PartitionId id, PartitionPlan plan, List<Integer> target) {
        return new Move(
                id,
                plan.replicas(),
                PartitionPlan.without(target, plan.settled()),
                PartitionPlan.without(plan.replicas(), target),
                true);
    }

    /// The number of partitions that copy to new replicas. One that waits for a broker that is not there costs nothing, and may wait for ever: others must not wait for it.
    static int underWay(ClusterView view) {
        int count = 0;
        for (TopicPlan topic : view.topics()) {
            for (PartitionPlan partition : topic.partitions()) {
                boolean copies = partition.adding().stream().allMatch(view::isLive);
                count += copies && !partition.adding().isEmpty() ? 1 : 0;
            }
        }
        return count;
    }

    /// A sentence on what is wrong with these replicas, or null.
    static @Nullable String flaw(List<Integer> target, ClusterView view) {
        if (target.isEmpty()) {
            return "A partition needs at least one replica.";
        }
        if (new HashSet<>(target).size() != target.size()) {
            return "Replicas " + target + " name a broker twice.";
        }
        List<Integer> unknown = new ArrayList<>(target);
        unknown.removeAll(view.members().keySet());
        return unknown.isEmpty()
                ? null
                : "Replicas "
                        + target
                        + " name unknown broker(s) "
                        + unknown
                        + "; known are "
                        + view.members().keySet()
                        + ". Choose among these, or start the missing ones first.";
    }

    /// Begins a move, or turns one that is under way to another goal. Whoever was being added, is not in sync and not wanted any more goes at once.
    static PartitionPlan begin(PartitionPlan plan, List<Integer> target) {
        List<Integer> before = plan.settled();
        List<Integer> replicas = new ArrayList<>(target);
        for (int replica : plan.replicas()) {
            boolean needed = before.contains(replica) || plan.inSync().contains(replica);
            if (needed && !target.contains(replica)) {
                replicas.add(replica);
            }
        }
        return plan.placed(
                replicas,
                PartitionPlan.without(target, before),
                PartitionPlan.without(replicas, target));
    }

    /// The plan when the move is done, or as it is while it is not: all that were added are in sync, and without those that leave enough are.
    static PartitionPlan finish(PartitionPlan plan, IntPredicate live, TopicRules rules) {
        List<Integer> staying = plan.staying();
        List<Integer> inSync = PartitionPlan.keep(plan.inSync(), staying);
        int enough = Math.min(Math.min(rules.minInSync(), staying.size()), plan.inSync().size());
        boolean done =
                plan.isMoving()
                        && plan.hasLeader()
                        && inSync.containsAll(plan.adding())
                        && inSync.size() >= Math.max(1, enough);
        if (!done) {
            return plan;
        }
        PartitionPlan there = plan.placed(staying, List.of(), List.of());
        return ledByAReplica(plan, there, live);
    }

    /// The plan without the move; null when only those that would go again are in sync.
    static @Nullable PartitionPlan takeBack(PartitionPlan plan, IntPredicate live) {
        PartitionPlan back = plan.placed(plan.settled(), List.of(), List.of());
        if (back.inSync().isEmpty()) {
            return null;
        }
        if (!plan.hasLeader()) {
            return back;
        }
        PartitionPlan led = ledByAReplica(plan, back, live);
        return led.equals(plan) ? null : led;
    }

    /// The leader may be one of those that go.
    private static PartitionPlan ledByAReplica(
            PartitionPlan before, PartitionPlan after, IntPredicate live) {
        if (after.replicas().contains(after.leader())) {
            return after;
        }
        for (int replica : after.replicas()) {
            if (after.inSync().contains(replica) && live.test(replica)) {
                return after.led(replica, after.inSync(), after.eligible()).after(before);
            }
        }
        return before;
    }
}
