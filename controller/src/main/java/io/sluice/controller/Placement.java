package io.sluice.controller;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Where replicas go: evenly over brokers, over as many racks as there are, never two of a partition on one broker; to a broker whose disk is full only where all others have one. Owned by whoever plans with it.
///
/// The load of all brokers is counted once; what is placed afterwards counts, too.
final class Placement {
    private final List<BrokerView> brokers;
    private final TreeMap<Integer, Integer> position = new TreeMap<>();
    private final int[] replicas;
    private final int[] firsts;
    private final boolean[] full;

    /// @param usable which of the live brokers may get replicas
    Placement(ClusterView view, IntPredicate usable) {
        brokers = view.brokers().stream().filter(broker -> usable.test(broker.id())).toList();
        full = new boolean[brokers.size()];
        for (int i = 0; i < brokers.size(); i++) {
            position.put(brokers.get(i).id(), i);
            full[i] = view.isDiskFull(brokers.get(i).id());
        }
        replicas = new int[brokers.size()];
        firsts = new int[brokers.size()];
        for (TopicPlan topic : view.topics()) {
            for (PartitionPlan partition : topic.partitions()) {
                count(partition.replicas(), replicas, firsts, 1);
            }
        }
    }

    int size() {
        return brokers.size();
    }

    /// The disk of the broker at this place in [#usable] is not full, so that it should get something.
    boolean hasRoom(int place) {
        return !full[place];
    }

    /// In the order of their ids.
    List<Integer> usable() {
        return List.copyOf(position.keySet());
    }

    /// Another placement than counted so far.
    void moved(List<Integer> from, List<Integer> to) {
        count(from, replicas, firsts, -1);
        count(to, replicas, firsts, 1);
    }

    private void count(List<Integer> placed, int[] all, int[] first, int by) {
        for (int i = 0; i < placed.size(); i++) {
            Integer at = position.get(placed.get(i));
            if (at != null) {
                all[at] += by;
                first[at] += i == 0 ? by : 0;
            }
        }
    }

    /// New partitions of a topic, beside those that it has. There must be as many usable brokers as replicas are wanted.
    List<List<Integer>> place(int count, int factor, List<PartitionPlan> present) {
        int[] ownReplicas = new int[brokers.size()];
        int[] ownFirsts = new int[brokers.size()];
        present.forEach(partition -> count(partition.replicas(), ownReplicas, ownFirsts, 1));
        List<List<Integer>> placed = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            List<Integer> chosen = new ArrayList<>(factor);
            int first = leastLed(ownFirsts, ownReplicas);
            chosen.add(brokers.get(first).id());
            while (chosen.size() < factor) {
                // The followers of a broker's partitions shift from one to the next, so that its
                // load spreads when it goes.
                int next = leastLoaded(chosen, ownReplicas, first + ownFirsts[first]);
                chosen.add(brokers.get(next).id());
            }
            count(chosen, ownReplicas, ownFirsts, 1);
            count(chosen, replicas, firsts, 1);
            placed.add(chosen);
        }
        return placed;
    }

    /// The best broker for another replica of a partition that has these; null when each has one already.
    @Nullable Integer another(List<Integer> present) {
        int best = leastLoaded(present, new int[brokers.size()], 0);
        return best < 0 ? null : brokers.get(best).id();
    }

    private int leastLed(int[] ownFirsts, int[] ownReplicas) {
        int best = 0;
        for (int i = 1; i < brokers.size(); i++) {
            int order = Boolean.compare(full[i], full[best]);
            order = order == 0 ? Integer.compare(ownFirsts[i], ownFirsts[best]) : order;
            order = order == 0 ? Integer.compare(ownReplicas[i], ownReplicas[best]) : order;
            order = order == 0 ? Integer.compare(firsts[i], firsts[best]) : order;
            best = order < 0 ? i : best;
        }
        return best;
    }

    /// Of the brokers that are not chosen yet: with room if possible, then in a new rack, then with the fewest replicas; of equals the next one from the given position on. -1 if there is none.
    private int leastLoaded(List<Integer> chosen, int[] own, int from) {
        int best = -1;
        long bestCost = Long.MAX_VALUE;
        for (int step = 1; step <= brokers.size(); step++) {
            int at = (from + step) % brokers.size();
            if (chosen.contains(brokers.get(at).id())) {
                continue;
            }
            long cost =
                    (full[at] ? 1L << 62 : 0)
                            + ((long) sameRack(chosen, brokers.get(at)) << 56)
                            + ((long) own[at] << 28)
                            + replicas[at];
            if (cost < bestCost) {
                best = at;
                bestCost = cost;
            }
        }
        return best;
    }

    /// How many of the chosen ones are in this broker's rack. Brokers that name none are all apart.
    private int sameRack(List<Integer> chosen, BrokerView candidate) {
        if (candidate.rack() == null) {
            return 0;
        }
        int same = 0;
        for (int id : chosen) {
            Integer at = position.get(id);
            if (at != null && Objects.equals(brokers.get(at).rack(), candidate.rack())) {
                same++;
            }
        }
        return same;
    }

    @Override
    public String toString() {
        return position.keySet() + " " + Arrays.toString(replicas) + Arrays.toString(firsts);
    }
}
