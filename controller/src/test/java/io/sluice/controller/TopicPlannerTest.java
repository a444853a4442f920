package io.sluice.controller;

import static io.sluice.controller.PlannedTopics.ID;
import static io.sluice.controller.PlannedTopics.done;
import static io.sluice.controller.PlannedTopics.newTopic;
import static io.sluice.controller.PlannedTopics.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TopicPlannerTest {
    private final PlannedTopics topics = new PlannedTopics();
    private final ClusterView empty = topics.empty();

    /// Q10: partitions, and with them leaders, are spread evenly over the brokers.
    @Test
    void partitionsAreSpreadEvenly() {
        TopicPlan plan = done(decide(newTopic("orders", 6, 2), empty, ID));
        int[] led = new int[4];
        for (PartitionPlan partition : plan.partitions()) {
            assertThat(partition.replicas()).hasSize(2).doesNotHaveDuplicates();
            assertThat(partition.leader()).isEqualTo(partition.replicas().getFirst());
            led[partition.leader()]++;
        }
        assertThat(led).containsExactly(0, 2, 2, 2);
    }

    @Test
    void defaultsFillWhatIsNotAsked() {
        TopicPlan plan = done(decide(newTopic("orders", -1, -1), empty, ID));
        assertThat(plan.partitions()).hasSize(4);
        assertThat(plan.partitions().getFirst().replicas()).hasSize(1);
    }

    private static TopicPlanner.Decision decide(TopicPlanner.Defaults defaults, int brokers) {
        List<BrokerView> there =
                IntStream.rangeClosed(1, brokers)
                        .mapToObj(id -> new BrokerView(id, "h", 1, null, 0))
                        .toList();
        ClusterView view = new ClusterView("cluster", there, 1, List.of());
        return new TopicPlanner(defaults, _ -> TopicRules.DEFAULT)
                .decide(newTopic("orders", 1, -1), new Circumstances(view, new TreeSet<>()), ID);
    }

    /// Q22: three copies in a cluster, one on a single node.
    @Test
    void withoutANumberThereAreAsManyCopiesAsTheDefaultAndTheBrokersAllow() {
        TopicPlanner.Defaults three = new TopicPlanner.Defaults(1, 3);
        for (int brokers = 1; brokers <= 5; brokers++) {
            assertThat(done(decide(three, brokers)).partitions().getFirst().replicas())
                    .hasSize(Math.min(3, brokers));
        }
    }

    /// It would have fewer copies for good.
    @Test
    void untilTheBrokersThatTheClusterNamesHaveJoinedNoTopicIsMadeWithoutANumber() {
        TopicPlanner.Defaults named = new TopicPlanner.Defaults(1, 3, 3);
        assertThat(refused(decide(named, 1))).isEqualTo(Reason.INVALID_REPLICATION_FACTOR);
        assertThat(refused(decide(named, 2))).isEqualTo(Reason.INVALID_REPLICATION_FACTOR);
        assertThat(done(decide(named, 3)).partitions().getFirst().replicas()).hasSize(3);
        TopicPlanner.Defaults one = new TopicPlanner.Defaults(1, 1, 3);
        assertThat(done(decide(one, 1)).partitions().getFirst().replicas()).hasSize(1);
    }

    @Test
    void whatCannotBeCreatedIsRefusedWithItsReason() {
        ClusterView taken = empty.with(done(decide(newTopic("taken", 1, 1), empty, ID)));
        assertThat(refused(decide(newTopic("taken", 1, 1), taken, ID)))
                .isEqualTo(Reason.ALREADY_EXISTS);
        assertThat(refused(decide(newTopic("a/b", 1, 1), taken, ID)))
                .isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(decide(newTopic("..", 1, 1), taken, ID))).isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(decide(newTopic("x".repeat(250), 1, 1), taken, ID)))
                .isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(decide(newTopic("new", 0, 1), taken, ID)))
                .isEqualTo(Reason.INVALID_PARTITIONS);
        assertThat(refused(decide(newTopic("new", 1, 4), taken, ID)))
                .isEqualTo(Reason.INVALID_REPLICATION_FACTOR);
        assertThat(
                        refused(
                                decide(
                                        new TopicCommand.Create(
                                                "new", 1, 1, List.of(), Map.of("nonsense", "1")),
                                        taken,
                                        ID)))
                .isEqualTo(Reason.INVALID_SETTING);
        assertThat(
                        refused(
                                decide(
                                        new TopicCommand.Create(
                                                "new", -1, -1, List.of(List.of(1, 1)), Map.of()),
                                        taken,
                                        ID)))
                .isEqualTo(Reason.INVALID_ASSIGNMENT);
        assertThat(
                        refused(
                                decide(
                                        new TopicCommand.Create(
                                                "new", -1, -1, List.of(List.of(9)), Map.of()),
                                        taken,
                                        ID)))
                .isEqualTo(Reason.INVALID_ASSIGNMENT);
    }

    @Test
    void brokersThatAreAboutToStopOrAreDrainedGetNothing() {
        topics.stopping().add(3);
        TopicPlan plan = done(decide(newTopic("orders", 6, 2), empty, ID));
        assertThat(plan.partitions()).allMatch(partition -> !partition.replicas().contains(3));
        assertThat(refused(decide(newTopic("wide", 1, 3), empty, ID)))
                .isEqualTo(Reason.INVALID_REPLICATION_FACTOR);
    }

    @Test
    void anotherReplicationFactorIsReachedByMoves() {
        TopicPlan plan = done(decide(newTopic("orders", 2, 1), empty, ID));
        TopicPlanner.Decision more =
                decide(new TopicCommand.ChangeReplication("orders", 3), empty.with(plan), ID);
        assertThat(more.changes())
                .containsExactly(
                        new Change.Create(
                                "/moves/orders",
                                """
                                sluice-moves 1
                                id %s
                                partition 0 replicas 1,3,2
                                partition 1 replicas 2,3,1
                                """
                                        .formatted(ID)));
        assertThat(
                        refused(
                                decide(
                                        new TopicCommand.ChangeReplication("orders", 4),
                                        empty.with(plan),
                                        ID)))
                .isEqualTo(Reason.INVALID_REPLICATION_FACTOR);
    }

    /// Q29: partitions are added, the old ones stay as they are.
    @Test
    void growingKeepsTheOldPartitions() {
        TopicPlan before = done(decide(newTopic("orders", 2, 1), empty, ID));
        TopicPlan after =
                done(decide(new TopicCommand.Grow("orders", 5, List.of()), empty.with(before), ID));
        assertThat(after.partitions())
                .hasSize(5)
                .startsWith(before.partitions().toArray(PartitionPlan[]::new));
        assertThat(after.id()).isEqualTo(before.id());
        assertThat(
                        refused(
                                decide(
                                        new TopicCommand.Grow("orders", 2, List.of()),
                                        empty.with(before),
                                        ID)))
                .isEqualTo(Reason.INVALID_PARTITIONS);
    }

    @Test
    void theBrokersOwnTopicsDoNotGrow() {
        TopicPlan offsets = done(decide(newTopic(TopicNames.OFFSETS, 2, 1), empty, ID));
        assertThat(
                        refused(
                                decide(
                                        new TopicCommand.Grow(TopicNames.OFFSETS, 5, List.of()),
                                        empty.with(offsets),
                                        ID)))
                .isEqualTo(Reason.INTERNAL_TOPIC);
    }

    @Test
    void aDeletionLeavesANoteInTheSameCommit() {
        TopicPlan plan = done(decide(newTopic("orders", 3, 1), empty, ID));
        TopicPlanner.Decision decision =
                decide(new TopicCommand.Delete("orders"), empty.with(plan), ID);
        assertThat(decision.changes())
                .containsExactly(
                        new Change.Delete("/topics/orders", 0),
                        new Change.Create(
                                "/deletions/orders",
                                "sluice-deletions 1\ntopic "
                                        + ID
                                        + " partitions 3 brokers 1,2,3\n"));
    }

    @Test
    void aSettingGoesBackToItsDefault() {
        TopicPlan plan =
                done(
                        decide(
                                new TopicCommand.Create(
                                        "orders", 1, 1, List.of(), Map.of("a", "1", "b", "2")),
                                empty,
                                ID));
        Map<String, @Nullable String> changes = new HashMap<>();
        changes.put("a", null);
        changes.put("c", "3");
        TopicPlan after =
                done(
                        decide(
                                new TopicCommand.ChangeSettings("orders", changes),
                                empty.with(plan),
                                ID));
        assertThat(after.settings()).isEqualTo(Map.of("b", "2", "c", "3"));
        assertThat(after.version()).isEqualTo(plan.version() + 1);
    }

    private static TopicPlanner.Decision decide(
            TopicCommand command, ClusterView view, long largestCommit) {
        return new TopicPlanner(
                        new TopicPlanner.Defaults(1, 1),
                        _ -> new TopicRules(1, false, false),
                        largestCommit)
                .decide(command, new Circumstances(view, new TreeSet<>()), ID);
    }

    /// In the store it is small at first: all partitions are alike.
    @Test
    void aTopicWhosePlanCouldOutgrowTheStoreIsRefused() {
        long mebibyte = 1_048_576;
        TopicPlanner.Decision wide = decide(newTopic("wide", 10_000, 3), empty, mebibyte);
        assertThat(refused(wide)).isEqualTo(Reason.INVALID_PARTITIONS);
        assertThat(((TopicOutcome.Refused) wide.outcome()).sentence())
                .contains("'wide'", "10000 partitions of 3", "1MiB", "several topics");
        assertThat(wide.changes()).isEmpty();
        TopicPlan plan = done(decide(newTopic("orders", 5_000, 3), empty, mebibyte));
        ClusterView view = empty.with(plan);
        assertThat(
                        refused(
                                decide(
                                        new TopicCommand.Grow("orders", 10_000, List.of()),
                                        view,
                                        mebibyte)))
                .isEqualTo(Reason.INVALID_PARTITIONS);
        done(decide(new TopicCommand.Grow("orders", 5_100, List.of()), view, mebibyte));
        done(decide(newTopic("wide", 10_000, 3), empty, 8 * mebibyte));
    }

    /// As bad as it can be: no two partitions alike, all on the move, and everybody in sync.
    @Test
    void theLargestPlanThatIsAllowedFits() {
        long limit = 200_000;
        int most = 1;
        while (most < limit && PlanSize.flaw("t", most + 1, 3, 3, Map.of(), limit).isEmpty()) {
            most++;
        }
        List<PartitionPlan> partitions = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            partitions.add(
                    new PartitionPlan(
                            List.of(1, 2, 3, 4, 5, 6),
                            1,
                            Integer.MAX_VALUE - i,
                            List.of(1, 2, 3, 4, 5, 6),
                            List.of(),
                            List.of(1, 2, 3, 4, 5, 6),
                            List.of(1, 2, 3),
                            List.of(4, 5, 6),
                            Integer.MAX_VALUE));
        }
        TopicPlan worst = new TopicPlan("t", ID, partitions, Map.of(), 0);
        assertThat((long) TopicPlanFormat.write(worst).length()).isBetween(limit * 4 / 5, limit);
    }

    @Test
    void unknownTopicsAreSaidToBeUnknown() {
        assertThat(refused(decide(new TopicCommand.Delete("none"), empty, ID)))
                .isEqualTo(Reason.UNKNOWN_TOPIC);
        assertThat(refused(decide(new TopicCommand.Grow("none", 3, List.of()), empty, ID)))
                .isEqualTo(Reason.UNKNOWN_TOPIC);
        assertThat(refused(decide(new TopicCommand.ReplaceSettings("none", Map.of()), empty, ID)))
                .isEqualTo(Reason.UNKNOWN_TOPIC);
    }

    private TopicPlanner.Decision decide(TopicCommand command, ClusterView view, UUID id) {
        return topics.decide(command, view, id);
    }
}
