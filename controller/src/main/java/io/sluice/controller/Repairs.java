package io.sluice.controller;

import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Which replicas have to be somewhere else: those of brokers that are being drained, and of brokers that stay away (Q26, Q27). Pure.
final class Repairs {
    private Repairs() {}

    /// At most so many moves, of partitions that do not move and do not wait to, or do so in vain: to a broker that stays away.
    ///
    /// @param unwanted brokers that are to have no replicas
    static List<MoveRequest> propose(
            ClusterView view, IntPredicate unwanted, Placement placement, int atMost) {
        List<MoveRequest> proposed = new ArrayList<>();
        for (TopicPlan topic : view.topics()) {
            MoveQueue queue = view.upcoming().moves().get(topic.name());
            for (int i = 0; i < topic.partitions().size() && proposed.size() < atMost; i++) {
                PartitionPlan plan = topic.partitions().get(i);
                List<Integer> waiting = queue == null ? null : queue.targets().get(i);
                IntPredicate lost = broker -> !view.isLive(broker) && unwanted.test(broker);
                boolean moves = plan.isMoving() && plan.adding().stream().noneMatch(lost::test);
                boolean waits = waiting != null && waiting.stream().noneMatch(lost::test);
                if (moves || waits || !plan.hasLeader()) {
                    continue;
                }
                List<Integer> target = elsewhere(plan.staying(), unwanted, placement);
                if (target != null) {
                    placement.moved(plan.replicas(), target);
                    proposed.add(new MoveRequest(new PartitionId(topic.name(), i), target));
                }
            }
        }
        return proposed;
    }

    /// Each unwanted replica is replaced in its place; null when nothing changes or no broker is free.
    static @Nullable List<Integer> elsewhere(
            List<Integer> replicas, IntPredicate unwanted, Placement placement) {
        List<Integer> target = new ArrayList<>(replicas);
        boolean changed = false;
        for (int i = 0; i < target.size(); i++) {
            if (unwanted.test(target.get(i))) {
                Integer other = placement.another(target);
                if (other != null) {
                    target.set(i, other);
                    changed = true;
                }
            }
        }
        return changed ? target : null;
    }

    /// Partitions of a broker that have no other one to go to when it is drained: each of the others has a replica already, or gets none.
    static int stranded(ClusterView view, int broker) {
        int stranded = 0;
        for (TopicPlan topic : view.topics()) {
            for (PartitionPlan partition : topic.partitions()) {
                List<Integer> staying = partition.staying();
                List<Integer> leaving = new ArrayList<>();
                for (int replica : staying) {
                    if (replica == broker || isDraining(view, replica)) {
                        leaving.add(replica);
                    }
                }
                long free =
                        view.brokers().stream()
                                .map(BrokerView::id)
                                .filter(id -> id != broker && !isDraining(view, id))
                                .filter(id -> !staying.contains(id))
                                .count();
                stranded += leaving.indexOf(broker) >= free ? 1 : 0;
            }
        }
        return stranded;
    }

    private static boolean isDraining(ClusterView view, int broker) {
        Member member = view.members().get(broker);
        return member != null && member.isDraining();
    }

    /// Replicas on a broker: what a drain still has to do.
    static int replicasOn(ClusterView view, int broker) {
        int count = 0;
        for (TopicPlan topic : view.topics()) {
            for (PartitionPlan partition : topic.partitions()) {
                count += partition.replicas().contains(broker) ? 1 : 0;
            }
        }
        return count;
    }
}
