package io.sluice.controller;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/// Replicas of new partitions, as given or as chosen. Pure.
final class Assignments {
    private Assignments() {}

    /// A sentence on what is wrong with what a client has given; empty if nothing is.
    static String flaw(List<List<Integer>> assignment, ClusterView view) {
        for (List<Integer> replicas : assignment) {
            if (replicas.isEmpty() || replicas.size() != assignment.getFirst().size()) {
                return "Every partition needs the same number of replicas, at least one; given: "
                        + replicas
                        + ".";
            }
            if (new HashSet<>(replicas).size() != replicas.size()) {
                return "Replicas " + replicas + " name a broker twice.";
            }
            if (!view.members().keySet().containsAll(replicas)) {
                List<Integer> unknown = new ArrayList<>(replicas);
                unknown.removeAll(view.members().keySet());
                return "Replicas "
                        + replicas
                        + " name unknown broker(s) "
                        + unknown
                        + "; known are "
                        + view.members().keySet()
                        + ".";
            }
            if (replicas.stream().noneMatch(view::isLive)) {
                return "Of the replicas "
                        + replicas
                        + " none is live: nobody could lead. Start one of these brokers, or name others.";
            }
        }
        return "";
    }

    /// New partitions: all live replicas are in sync, since there is nothing to have, and the first of them leads.
    static List<PartitionPlan> fresh(List<List<Integer>> placed, Circumstances circumstances) {
        List<PartitionPlan> partitions = new ArrayList<>(placed.size());
        for (List<Integer> replicas : placed) {
            List<Integer> live = replicas.stream().filter(circumstances.view()::isLive).toList();
            partitions.add(
                    live.size() == replicas.size()
                            ? PartitionPlan.fresh(replicas)
                            : new PartitionPlan(
                                    replicas,
                                    live.getFirst(),
                                    0,
                                    live,
                                    List.of(),
                                    List.of(),
                                    List.of(),
                                    0));
        }
        return partitions;
    }

    /// A partition's replicas when there are to be so many: more where brokers have the least, fewer by dropping those that are not in sync, then the last.
    static List<Integer> resized(PartitionPlan plan, int factor, Placement placement) {
        List<Integer> target = new ArrayList<>(plan.staying());
        for (int i = target.size() - 1; i > 0 && target.size() > factor; i--) {
            if (!plan.inSync().contains(target.get(i))) {
                target.remove(/* index */ i);
            }
        }
        while (target.size() > factor) {
            target.removeLast();
        }
        while (target.size() < factor) {
            Integer another = placement.another(target);
            if (another == null) {
                return target;
            }
            target.add(another);
        }
        return target;
    }
}
