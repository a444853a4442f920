package io.sluice.controller;

import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/// Begins moves, as many as may be under way at a time: those that were asked for first, then those that drained and lost brokers need. Owned by whoever decides.
final class Beginnings {
    private final Draft draft;
    private final Circumstances circumstances;
    private int room;

    Beginnings(Draft draft, Circumstances circumstances, int atATime) {
        this.draft = draft;
        this.circumstances = circumstances;
        this.room = atATime;
    }

    private int room() {
        return room - Moves.underWay(circumstances.view());
    }

    void fromQueues() {
        if (circumstances.view().upcoming().moves().isEmpty()) {
            return;
        }
        int free = room();
        for (MoveQueue queue : circumstances.view().upcoming().moves().values()) {
            if (!draft.hasRoom()) {
                return;
            }
            TopicPlan topic = circumstances.view().findTopic(queue.topic());
            if (topic == null || !topic.id().equals(queue.id())) {
                draft.put(queue.with(new TreeMap<>()).change());
                continue;
            }
            SortedMap<Integer, List<Integer>> waiting = draft.moves(topic);
            for (Map.Entry<Integer, List<Integer>> move : new ArrayList<>(waiting.entrySet())) {
                PartitionId id = new PartitionId(topic.name(), move.getKey());
                PartitionPlan plan = draft.partition(id);
                boolean thereAlready =
                        plan != null && !plan.isMoving() && plan.replicas().equals(move.getValue());
                if (plan == null || thereAlready) {
                    waiting.remove(move.getKey());
                    continue;
                }
                PartitionPlan begun = Moves.begin(plan, move.getValue());
                boolean costs = !begun.adding().isEmpty();
                if ((costs && (free <= 0 || !canBegin(begun))) || !draft.put(id, begun)) {
                    continue;
                }
                waiting.remove(move.getKey());
                free -= costs ? 1 : 0;
                room -= costs ? 1 : 0;
            }
            if (!waiting.equals(queue.targets())) {
                draft.countQueue(queue);
            }
        }
    }

    /// Whoever is to have a replica has to be there to fetch it.
    private boolean canBegin(PartitionPlan begun) {
        return begun.adding().stream().allMatch(circumstances::isStaying);
    }

    void fromRepairs(IntPredicate unwanted) {
        boolean anybody = circumstances.view().members().keySet().stream().anyMatch(unwanted::test);
        if (!anybody || !draft.isEmpty()) {
            return;
        }
        int free = room();
        if (free <= 0) {
            return;
        }
        List<MoveRequest> moves =
                Repairs.propose(circumstances.view(), unwanted, circumstances.placement(), free);
        for (MoveRequest move : moves) {
            PartitionPlan plan = draft.partition(move.partition());
            List<Integer> target = move.replicas();
            if (plan != null && target != null) {
                draft.put(move.partition(), Moves.begin(plan, target));
            }
        }
    }
}
