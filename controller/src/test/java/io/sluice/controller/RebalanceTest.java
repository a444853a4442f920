package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What is there is spread evenly over brokers and racks, of each topic and of all, by as few moves as that takes (Q10, Q27, Q28).
class RebalanceTest {
    private static ClusterView cluster(List<TopicPlan> topics, @Nullable String... racks) {
        List<BrokerView> brokers = new ArrayList<>();
        for (int i = 0; i < racks.length; i++) {
            brokers.add(new BrokerView(i + 1, "h", 1, racks[i], 0));
        }
        return new ClusterView("c", brokers, 1, topics);
    }

    private static ClusterView cluster(List<TopicPlan> topics, int brokers) {
        return cluster(topics, new @Nullable String[brokers]);
    }

    private static TopicPlan topic(String name, List<List<Integer>> placed) {
        return new TopicPlan(
                name,
                new UUID(0, name.hashCode()),
                placed.stream().map(PartitionPlan::fresh).toList(),
                Map.of(),
                0);
    }

    /// Topics as they are made one after the other in a cluster of so many.
    private static List<TopicPlan> made(int topics, int partitions, int factor, int brokers) {
        List<TopicPlan> plans = new ArrayList<>();
        Placement placement = new Placement(cluster(plans, brokers), _ -> true);
        for (int i = 0; i < topics; i++) {
            plans.add(topic("t%05d".formatted(i), placement.place(partitions, factor, List.of())));
        }
        return plans;
    }

    private static Map<String, List<List<Integer>>> placed(ClusterView view) {
        Map<String, List<List<Integer>>> placed = new TreeMap<>();
        for (TopicPlan topic : view.topics()) {
            placed.put(
                    topic.name(),
                    new ArrayList<>(
                            topic.partitions().stream().map(PartitionPlan::replicas).toList()));
        }
        return placed;
    }

    /// Where everything is when what is proposed is done.
    private static Map<String, List<List<Integer>>> rebalanced(ClusterView view) {
        Map<String, List<List<Integer>>> after = placed(view);
        for (MoveRequest move : Rebalance.propose(view, new Placement(view, _ -> true))) {
            List<Integer> target = Objects.requireNonNull(move.replicas());
            assertThat(target).doesNotHaveDuplicates();
            Objects.requireNonNull(after.get(move.partition().topic()))
                    .set(move.partition().index(), target);
        }
        return after;
    }

    private static List<TopicPlan> topics(Map<String, List<List<Integer>>> placed) {
        List<TopicPlan> plans = new ArrayList<>();
        placed.forEach((name, partitions) -> plans.add(topic(name, partitions)));
        return plans;
    }

    private static List<List<Integer>> all(Map<String, List<List<Integer>>> placed) {
        return placed.values().stream().flatMap(List::stream).toList();
    }

    /// What each of so many brokers has.
    private static List<Integer> replicas(List<List<Integer>> placed, int brokers) {
        return IntStream.rangeClosed(1, brokers)
                .map(id -> (int) placed.stream().filter(one -> one.contains(id)).count())
                .boxed()
                .toList();
    }

    private static List<Integer> leaders(List<List<Integer>> placed, int brokers) {
        return replicas(placed.stream().map(one -> one.subList(0, 1)).toList(), brokers);
    }

    private static int difference(List<Integer> counts) {
        return Collections.max(counts) - Collections.min(counts);
    }

    private static int copied(ClusterView before, Map<String, List<List<Integer>>> after) {
        List<List<Integer>> old = all(placed(before));
        List<List<Integer>> now = all(after);
        return IntStream.range(0, old.size())
                .map(i -> PartitionPlan.without(now.get(i), old.get(i)).size())
                .sum();
    }

    /// Of 18 replicas and 6 leaders on four brokers each can have 4 or 5, and lead 1 or 2: whoever has k of the replicas, a third of whose partitions' leaders are its own on average, need not lead more or less than a third of k rounded up or down.
    @Test
    void aNewBrokerGetsItsShareOfEveryTopic() {
        ClusterView view = cluster(made(10, 6, 3, 3), 4);
        Map<String, List<List<Integer>>> after = rebalanced(view);
        assertThat(after.values())
                .allSatisfy(
                        placed -> {
                            assertThat(replicas(placed, 4)).allMatch(count -> count / 2 == 2);
                            assertThat(leaders(placed, 4)).allMatch(count -> (count + 1) / 2 == 1);
                        });
        assertThat(replicas(all(after), 4)).containsOnly(45);
        assertThat(leaders(all(after), 4)).containsOnly(15);
        assertThat(copied(view, after)).as("its share, and nothing else").isEqualTo(45);
    }

    @Test
    void topicsThatAreUnevenBecomeEvenThoughTheSumsAre() {
        List<TopicPlan> pinned = new ArrayList<>();
        for (int broker = 1; broker <= 3; broker++) {
            pinned.add(topic("t" + broker, Collections.nCopies(6, List.of(broker))));
        }
        Map<String, List<List<Integer>>> after = rebalanced(cluster(pinned, 3));
        assertThat(after.values()).allMatch(placed -> difference(replicas(placed, 3)) == 0);
    }

    @Test
    void whatIsEvenStaysAsItIs() {
        ClusterView grown = cluster(made(7, 5, 2, 3), 5);
        List<TopicPlan> even = topics(rebalanced(grown));
        ClusterView view = cluster(even, 5);
        assertThat(Rebalance.propose(view, new Placement(view, _ -> true))).isEmpty();
    }

    /// Wherever everything was, brokers have as many replicas of each topic and of all as any other, give or take one; and no two of a partition.
    @Test
    void anythingBecomesEven() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            int brokers = 2 + random.nextInt(7);
            List<TopicPlan> topics = new ArrayList<>();
            for (int i = random.nextInt(8); i >= 0; i--) {
                int factor = 1 + random.nextInt(Math.min(4, brokers));
                List<List<Integer>> placed = new ArrayList<>();
                for (int j = random.nextInt(20); j >= 0; j--) {
                    List<Integer> ids =
                            new ArrayList<>(IntStream.rangeClosed(1, brokers).boxed().toList());
                    Collections.shuffle(ids, random);
                    placed.add(List.copyOf(ids.subList(0, factor)));
                }
                topics.add(topic("t" + i, placed));
            }
            Map<String, List<List<Integer>>> after = rebalanced(cluster(topics, brokers));
            assertThat(difference(replicas(all(after), brokers))).as("seed %s", seed).isLessThan(2);
            for (List<List<Integer>> placed : after.values()) {
                List<Integer> replicas = replicas(placed, brokers);
                assertThat(difference(replicas)).as("seed %s", seed).isLessThan(2);
                int factor = placed.getFirst().size();
                assertThat(leaders(placed, brokers))
                        .as("seed %s", seed)
                        .allMatch(leads -> leads >= Collections.min(replicas) / factor)
                        .allMatch(leads -> leads * factor < Collections.max(replicas) + factor);
            }
            assertThat(difference(leaders(all(after), brokers))).as("seed %s", seed).isLessThan(3);
        }
    }

    private static long racksOf(List<Integer> replicas, List<String> racks) {
        return replicas.stream().map(id -> racks.get(id - 1)).distinct().count();
    }

    @Test
    void whenARackReturnsNoPartitionStaysCrowded() {
        List<String> racks = List.of("a", "a", "b", "b", "c", "c");
        List<TopicPlan> topics = new ArrayList<>();
        for (int factor = 2; factor <= 3; factor++) {
            List<List<Integer>> placed = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                placed.add(List.of(1 + i % 4, 1 + (i % 4 ^ 1), 1 + (i + 2) % 4).subList(0, factor));
            }
            topics.add(topic("t" + factor, placed));
        }
        assertThat(racksOf(all(placed(cluster(topics, 6))).getFirst(), racks)).isEqualTo(1);
        ClusterView view = cluster(topics, racks.toArray(String[]::new));
        Map<String, List<List<Integer>>> after = rebalanced(view);
        assertThat(all(after)).allMatch(one -> racksOf(one, racks) == one.size());
        assertThat(after.values()).allMatch(placed -> difference(replicas(placed, 6)) <= 1);
        assertThat(difference(replicas(all(after), 6))).isLessThan(2);
    }

    @Test
    void fourReplicasAreTwoByTwoInTwoRacks() {
        List<TopicPlan> topics = List.of(topic("t", List.of(List.of(1, 2, 3, 4))));
        Map<String, List<List<Integer>>> after =
                rebalanced(cluster(topics, "a", "a", "a", "b", "b"));
        assertThat(all(after).getFirst()).hasSize(4).contains(4, 5);
    }

    /// 1 and 3 share no partition, since they are in one rack; 2 gives to 3 what it gets from 1.
    @Test
    void leadershipIsHandedOnWhereItCannotGoAtOnce() {
        List<List<Integer>> placed =
                List.of(
                        List.of(1, 2),
                        List.of(1, 2),
                        List.of(1, 2),
                        List.of(2, 3),
                        List.of(2, 3),
                        List.of(3, 2));
        ClusterView view = cluster(List.of(topic("t", placed)), "x", "y", "x");
        Map<String, List<List<Integer>>> after = rebalanced(view);
        assertThat(copied(view, after)).isZero();
        assertThat(leaders(all(after), 3)).containsOnly(2);
    }

    @Test
    void whatMovesCountsWhereItGoes() {
        PartitionPlan fresh = PartitionPlan.fresh(List.of(1));
        PartitionPlan moving = Moves.begin(fresh, List.of(2));
        List<PartitionPlan> partitions = List.of(fresh, fresh, moving, moving);
        TopicPlan topic = new TopicPlan("t", new UUID(0, 1), partitions, Map.of(), 0);
        ClusterView view = cluster(List.of(topic), 2);
        assertThat(Rebalance.propose(view, new Placement(view, _ -> true))).isEmpty();
    }

    private static long looks(ClusterView view) {
        Rebalance planned = Rebalance.planned(view, new Placement(view, _ -> true));
        assertThat(planned.moves()).hasSizeGreaterThan(1_000);
        return planned.looks();
    }

    /// Counted in looks at a partition, since time says little: not for every move is every partition looked at.
    @Test
    void tenThousandPartitionsTakeAFewLooksEach() {
        for (int brokers : new int[] {4, 9}) {
            for (int topics : new int[] {1, 100, 10_000}) {
                List<TopicPlan> made = made(topics, 10_000 / topics, 3, brokers - 1);
                assertThat(looks(cluster(made, brokers))).isLessThan(20 * 10_000);
            }
        }
    }

    /// Whatever can be wrong: everything is on half of the brokers and led by two of them, in racks of one, two and three.
    @Test
    void tenThousandPartitionsThatAreAllOverThePlaceTakeAFewLooksEach() {
        Random random = new Random(7);
        List<TopicPlan> topics = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            List<List<Integer>> placed = new ArrayList<>();
            for (int j = 0; j < 1_000; j++) {
                int first = 1 + random.nextInt(2);
                int second = 3 - first;
                placed.add(List.of(first, random.nextBoolean() ? 3 : 4, second));
            }
            topics.add(topic("t" + i, placed));
        }
        ClusterView view = cluster(topics, "a", "b", "b", "c", "c", "c");
        assertThat(looks(view)).isLessThan(50 * 10_000);
    }
}
