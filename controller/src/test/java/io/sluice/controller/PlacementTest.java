package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Replicas are spread evenly over brokers and racks, never two of a partition on one broker (Q10, Q22, Q26).
/// Shows Q28: replicas are spread over racks.
class PlacementTest {
    private static ClusterView cluster(List<TopicPlan> topics, @Nullable String... racks) {
        List<BrokerView> brokers = new ArrayList<>();
        for (int i = 0; i < racks.length; i++) {
            brokers.add(new BrokerView(i + 1, "h", 1, racks[i], 0));
        }
        return new ClusterView("c", brokers, 1, topics);
    }

    private static TopicPlan topic(String name, List<List<Integer>> placed) {
        return new TopicPlan(
                name,
                new UUID(0, name.hashCode()),
                placed.stream().map(PartitionPlan::fresh).toList(),
                Map.of(),
                0);
    }

    private static Map<Integer, Integer> count(List<List<Integer>> placed, boolean firstOnly) {
        Map<Integer, Integer> counts = new TreeMap<>();
        for (List<Integer> replicas : placed) {
            for (int broker : firstOnly ? replicas.subList(0, 1) : replicas) {
                counts.merge(broker, 1, Integer::sum);
            }
        }
        return counts;
    }

    @Test
    void leadersAndReplicasAreSpreadEvenly() {
        ClusterView view = cluster(List.of(), null, null, null, null, null);
        List<List<Integer>> placed = new Placement(view, _ -> true).place(100, 3, List.of());
        assertThat(placed).allSatisfy(one -> assertThat(one).hasSize(3).doesNotHaveDuplicates());
        assertThat(count(placed, true).values()).containsOnly(20);
        assertThat(count(placed, false).values()).containsOnly(60);
        List<Integer> seconds = new ArrayList<>();
        for (List<Integer> replicas : placed) {
            if (replicas.getFirst() == 1) {
                seconds.add(replicas.get(1));
            }
        }
        assertThat(seconds).as("when 1 goes, its load goes to all").contains(2, 3, 4, 5);
    }

    @Test
    void aPartitionsReplicasAreInDifferentRacks() {
        ClusterView view = cluster(List.of(), "a", "a", "b", "b", "c", "c");
        List<List<Integer>> placed = new Placement(view, _ -> true).place(60, 3, List.of());
        assertThat(placed)
                .allSatisfy(
                        one ->
                                assertThat(one.stream().map(id -> (id - 1) / 2).distinct())
                                        .hasSize(3));
        assertThat(count(placed, false).values()).containsOnly(30);
    }

    @Test
    void moreReplicasThanRacksStillGoToDifferentBrokers() {
        ClusterView view = cluster(List.of(), "a", "a", "a", "b");
        List<List<Integer>> placed = new Placement(view, _ -> true).place(8, 3, List.of());
        assertThat(placed).allSatisfy(one -> assertThat(one).doesNotHaveDuplicates().contains(4));
    }

    @Test
    void manySmallTopicsDoNotAllBeginAtTheSameBroker() {
        List<TopicPlan> topics = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            ClusterView view = cluster(topics, null, null, null);
            topics.add(topic("t" + i, new Placement(view, _ -> true).place(1, 1, List.of())));
        }
        List<List<Integer>> placed =
                topics.stream().map(one -> one.partitions().getFirst().replicas()).toList();
        assertThat(count(placed, true).values()).containsOnly(3);
    }

    @Test
    void addedPartitionsFillWhatTheTopicLacks() {
        TopicPlan present = topic("t", List.of(List.of(1, 2), List.of(1, 2)));
        ClusterView view = cluster(List.of(present), null, null, null);
        List<List<Integer>> placed =
                new Placement(view, _ -> true).place(4, 2, present.partitions());
        assertThat(count(placed, true)).isEqualTo(Map.of(2, 2, 3, 2));
    }

    @Test
    void anotherReplicaGoesToTheEmptiestBrokerThatHasNone() {
        ClusterView view =
                cluster(
                        List.of(topic("t", List.of(List.of(1, 2), List.of(3, 2)))),
                        null,
                        null,
                        null,
                        null);
        Placement placement = new Placement(view, id -> id != 4);
        assertThat(placement.another(List.of(1, 2))).isEqualTo(3);
        assertThat(placement.another(List.of(1, 2, 3))).isNull();
    }

    @Test
    void aNewBrokerGetsItsShareAndNothingElseMoves() {
        List<List<Integer>> full = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            full.add(List.of(1 + i % 3, 1 + (i + 1) % 3));
        }
        ClusterView view = cluster(List.of(topic("t", full)), null, null, null, null);
        List<MoveRequest> moves = Rebalance.propose(view, new Placement(view, _ -> true));
        List<List<Integer>> after = new ArrayList<>(full);
        int moved = 0;
        for (MoveRequest move : moves) {
            List<Integer> target = Objects.requireNonNull(move.replicas());
            List<Integer> old = after.set(move.partition().index(), target);
            assertThat(target).doesNotHaveDuplicates();
            moved += PartitionPlan.without(target, old).size();
        }
        assertThat(count(after, false).values()).containsOnly(6);
        assertThat(count(after, true).values()).allMatch(leaders -> leaders >= 2 && leaders <= 4);
        assertThat(moved).as("not more data than the new broker's share").isEqualTo(6);
        ClusterView balanced = cluster(List.of(topic("t", after)), null, null, null, null);
        assertThat(Rebalance.propose(balanced, new Placement(balanced, _ -> true))).isEmpty();
    }

    private static ClusterView withFullDisk(ClusterView view, int broker) {
        TreeMap<Integer, Member> members = new TreeMap<>(view.members());
        members.computeIfPresent(broker, (_, member) -> member.withDisk(true));
        return view.with(ClusterView.Brokers.of(view.brokersAndMembers().registered(), members));
    }

    @Test
    void aBrokerWithAFullDiskGetsNothingWhereOthersCan() {
        ClusterView view = withFullDisk(cluster(List.of(), "a", "b", "b", "b"), 1);
        Placement placement = new Placement(view, _ -> true);
        assertThat(placement.place(6, 3, List.of())).noneMatch(one -> one.contains(1));
        assertThat(placement.another(List.of(2, 3))).isEqualTo(4);
        assertThat(placement.another(List.of(2, 3, 4))).as("better than none").isEqualTo(1);
        assertThat(new Placement(view, _ -> true).place(2, 4, List.of()))
                .allSatisfy(one -> assertThat(one.getLast()).isEqualTo(1));
    }

    @Test
    void nothingIsMovedToABrokerWithAFullDisk() {
        List<List<Integer>> placed = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            placed.add(List.of(2 + i % 2));
        }
        ClusterView view =
                withFullDisk(cluster(List.of(topic("t", placed)), null, null, null, null), 1);
        List<MoveRequest> moves = Rebalance.propose(view, new Placement(view, _ -> true));
        assertThat(moves).as("broker 4 gets its share").isNotEmpty();
        assertThat(moves).noneMatch(move -> List.of(1).equals(move.replicas()));
    }
}
