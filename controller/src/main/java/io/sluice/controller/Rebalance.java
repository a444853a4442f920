package io.sluice.controller;

import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;

/// Moves after which every broker has as many replicas of each topic as any other, give or take one, and as many of all; and is to lead as many. Pure.
///
/// Nothing moves that does not have to, and nothing to a broker whose disk is full. Partitions leave racks that have several of their replicas first; [Evening] does the rest, with replicas and then with their order.
final class Rebalance {
    private final ClusterView view;
    private final Placement placement;
    private final Shares all;
    private final List<Shares> topics = new ArrayList<>();
    private long looks;

    private Rebalance(ClusterView view, Placement placement) {
        this.view = view;
        this.placement = placement;
        this.all = new Shares(placement.size());
        List<Integer> usable = placement.usable();
        for (TopicPlan topic : view.topics()) {
            Shares shares = new Shares(placement.size());
            MoveQueue waiting = MoveQueue.of(topic, view);
            for (int i = 0; i < topic.partitions().size(); i++) {
                PartitionPlan plan = topic.partitions().get(i);
                Arrangement one =
                        new Arrangement(
                                new PartitionId(topic.name(), i),
                                shares,
                                waiting.targets().getOrDefault(i, plan.staying()),
                                usable,
                                plan.isMoving());
                shares.add(one);
                all.add(one);
            }
            topics.add(shares);
        }
    }

    static List<MoveRequest> propose(ClusterView view, Placement placement) {
        return placement.size() < 2 ? List.of() : planned(view, placement).moves();
    }

    /// For two usable brokers or more.
    static Rebalance planned(ClusterView view, Placement placement) {
        Rebalance rebalance = new Rebalance(view, placement);
        rebalance.plan();
        return rebalance;
    }

    private void plan() {
        MovableReplicas replicas =
                new MovableReplicas(placement, new Racks(view, placement.usable()), all);
        replicas.spreadOverRacks();
        looks += all.partitions().size();
        looks += new Evening(replicas, topics, all).run();
        looks += new Evening(new MovableLeaders(placement, all), topics, all).run();
    }

    List<MoveRequest> moves() {
        return all.partitions().stream()
                .filter(Arrangement::isChanged)
                .map(one -> new MoveRequest(one.partition(), one.replicas()))
                .toList();
    }

    /// How often a partition was looked at: what it has cost.
    long looks() {
        return looks;
    }
}
