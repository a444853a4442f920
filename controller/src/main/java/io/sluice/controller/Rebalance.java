package io.sluice.controller;

import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Moves after which every broker has as many replicas and is to lead as many partitions as every other, give or take one. Pure.
///
/// Nothing moves that does not have to, and nothing to a broker whose disk is full: a replica goes from the broker that has the most to the one that has the fewest until they differ by one at most; then the order of replicas is changed where somebody is
/// to lead too much.
final class Rebalance {
    private final ClusterView view;
    private final Placement placement;
    private final Map<PartitionId, List<Integer>> targets = new LinkedHashMap<>();

    private Rebalance(ClusterView view, Placement placement) {
        this.view = view;
        this.placement = placement;
    }

    static List<MoveRequest> propose(ClusterView view, Placement placement) {
        if (placement.size() < 2) {
            return List.of();
        }
        Rebalance rebalance = new Rebalance(view, placement);
        rebalance.spreadReplicas();
        rebalance.spreadLeaders();
        List<MoveRequest> moves = new ArrayList<>();
        rebalance.targets.forEach(
                (partition, target) -> {
                    PartitionPlan plan = view.findPartition(partition);
                    if (plan != null && !plan.replicas().equals(target)) {
                        moves.add(new MoveRequest(partition, target));
                    }
                });
        return moves;
    }

    private void spreadReplicas() {
        for (int round = view.partitionCount(); round >= 0; round--) {
            int most = placement.usable().getFirst();
            Integer fewest = null;
            for (int broker : placement.usable()) {
                most = placement.load(broker) > placement.load(most) ? broker : most;
                if (placement.hasRoom(broker)
                        && (fewest == null || placement.load(broker) < placement.load(fewest))) {
                    fewest = broker;
                }
            }
            if (fewest == null
                    || placement.load(most) - placement.load(fewest) <= 1
                    || !moveOne(most, fewest)) {
                return;
            }
        }
    }

    private boolean moveOne(int from, int to) {
        for (TopicPlan topic : view.topics()) {
            for (int i = 0; i < topic.partitions().size(); i++) {
                PartitionId id = new PartitionId(topic.name(), i);
                List<Integer> present = movable(topic, i, id);
                if (present == null || !present.contains(from) || present.contains(to)) {
                    continue;
                }
                List<Integer> target = new ArrayList<>(present);
                target.set(present.indexOf(from), to);
                if (placement.crowding(target) <= placement.crowding(present)) {
                    move(id, present, target);
                    return true;
                }
            }
        }
        return false;
    }

    private void spreadLeaders() {
        for (TopicPlan topic : view.topics()) {
            for (int i = 0; i < topic.partitions().size(); i++) {
                PartitionId id = new PartitionId(topic.name(), i);
                List<Integer> present = movable(topic, i, id);
                if (present != null) {
                    leadLess(id, present);
                }
            }
        }
    }

    private void leadLess(PartitionId id, List<Integer> present) {
        int first = present.getFirst();
        int best = first;
        for (int other : present) {
            boolean comparable = placement.isUsable(other) && placement.isUsable(first);
            if (comparable
                    && placement.hasRoom(other)
                    && placement.firsts(other) < placement.firsts(best)) {
                best = other;
            }
        }
        if (best != first && placement.firsts(first) - placement.firsts(best) > 1) {
            List<Integer> target = new ArrayList<>(present);
            Collections.swap(target, 0, present.indexOf(best));
            move(id, present, target);
        }
    }

    private @Nullable List<Integer> movable(TopicPlan topic, int index, PartitionId id) {
        PartitionPlan plan = topic.partitions().get(index);
        return plan.isMoving() ? null : targets.getOrDefault(id, plan.replicas());
    }

    private void move(PartitionId id, List<Integer> from, List<Integer> to) {
        placement.moved(from, to);
        targets.put(id, to);
    }
}
