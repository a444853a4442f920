package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination.Change;
import io.sluice.settings.InvalidSetting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TopicPlannerTest {
    private static final UUID ID = new UUID(1, 2);
    private static final List<BrokerView> THREE =
            List.of(
                    new BrokerView(1, "a", 1, null, 0),
                    new BrokerView(2, "b", 1, null, 0),
                    new BrokerView(3, "c", 1, null, 0));

    private int minByDefault = 1;

    private final TopicPlanner planner =
            new TopicPlanner(
                    new TopicPlanner.Defaults(4, 1),
                    settings -> {
                        if (settings.containsKey("nonsense")) {
                            throw new InvalidSetting("nonsense", "Unknown setting 'nonsense'.");
                        }
                        Map<String, String> all = new HashMap<>();
                        all.put(TopicRules.MIN_IN_SYNC, String.valueOf(minByDefault));
                        all.putAll(settings);
                        return TopicRules.of(all);
                    });
    private final List<Integer> stopping = new ArrayList<>();
    private final ClusterView empty = new ClusterView("cluster", THREE, 1, List.of());

    /// Q10: partitions, and with them leaders, are spread evenly over the brokers.
    @Test
    void partitionsAreSpreadEvenly() {
        TopicPlan plan = done(decide(create("orders", 6, 2), empty, ID));
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
        TopicPlan plan = done(decide(create("orders", -1, -1), empty, ID));
        assertThat(plan.partitions()).hasSize(4);
        assertThat(plan.partitions().getFirst().replicas()).hasSize(1);
    }

    @Test
    void whatCannotBeCreatedIsRefusedWithItsReason() {
        ClusterView taken = empty.with(done(decide(create("taken", 1, 1), empty, ID)));
        assertThat(refused(decide(create("taken", 1, 1), taken, ID)))
                .isEqualTo(Reason.ALREADY_EXISTS);
        assertThat(refused(decide(create("a/b", 1, 1), taken, ID))).isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(decide(create("..", 1, 1), taken, ID))).isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(decide(create("x".repeat(250), 1, 1), taken, ID)))
                .isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(decide(create("new", 0, 1), taken, ID)))
                .isEqualTo(Reason.INVALID_PARTITIONS);
        assertThat(refused(decide(create("new", 1, 4), taken, ID)))
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
        stopping.add(3);
        TopicPlan plan = done(decide(create("orders", 6, 2), empty, ID));
        assertThat(plan.partitions()).allMatch(partition -> !partition.replicas().contains(3));
        assertThat(refused(decide(create("wide", 1, 3), empty, ID)))
                .isEqualTo(Reason.INVALID_REPLICATION_FACTOR);
    }

    @Test
    void anotherReplicationFactorIsReachedByMoves() {
        TopicPlan plan = done(decide(create("orders", 2, 1), empty, ID));
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
        TopicPlan before = done(decide(create("orders", 2, 1), empty, ID));
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
        TopicPlan offsets = done(decide(create(TopicNames.OFFSETS, 2, 1), empty, ID));
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
        TopicPlan plan = done(decide(create("orders", 3, 1), empty, ID));
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

    private TopicPlan ofOne(PartitionPlan partition) {
        return new TopicPlan(
                "orders", ID, List.of(partition), Map.of(TopicRules.MIN_IN_SYNC, "2"), 0);
    }

    private PartitionPlan withMinInSync(PartitionPlan partition, String min) {
        TopicPlan after =
                done(
                        decide(
                                new TopicCommand.ReplaceSettings(
                                        "orders", Map.of(TopicRules.MIN_IN_SYNC, min)),
                                empty.with(ofOne(partition)),
                                ID));
        return after.partitions().getFirst();
    }

    /// The last one in sync commits alone from then on, so that the others do not have everything any more.
    @Test
    void withALowerMinimumNobodyOutsideIsEligible() {
        PartitionPlan lonely =
                new PartitionPlan(
                        List.of(1, 2, 3), 1, 4, List.of(1), List.of(2, 3), List.of(), List.of(), 7);
        assertThat(withMinInSync(lonely, "2")).isEqualTo(lonely);
        PartitionPlan after = withMinInSync(lonely, "1");
        assertThat(after.eligible()).isEmpty();
        assertThat(after.inSync()).containsExactly(1);
        assertThat(after.leaderEpoch()).isEqualTo(4);
        assertThat(after.change()).isEqualTo(8);
    }

    @Test
    void whileNobodyLeadsALowerMinimumTakesNobodyItsHope() {
        PartitionPlan leaderless =
                new PartitionPlan(
                        List.of(1, 2, 3),
                        PartitionPlan.NONE,
                        5,
                        List.of(1),
                        List.of(2, 3),
                        List.of(),
                        List.of(),
                        7);
        PartitionPlan after = withMinInSync(leaderless, "1");
        assertThat(after.eligible()).containsExactly(2, 3);
        assertThat(after.change()).isEqualTo(8);
    }

    /// A leader that has not heard of the higher minimum commits with two; if its shrink were granted, whoever leaves would count as having everything committed.
    @Test
    void withAHigherMinimumWhatALeaderHasAskedForBeforeIsNotGranted() {
        PartitionPlan three = PartitionPlan.fresh(List.of(1, 2, 3));
        PartitionPlan after = withMinInSync(three, "3");
        assertThat(after.inSync()).containsExactly(1, 2, 3);
        InSyncChange shrink =
                new InSyncChange(
                        ID,
                        0,
                        three.leaderEpoch(),
                        three.change(),
                        new TreeMap<>(Map.of(1, 0L, 2, 0L)));
        InSyncChanges.Decision decision =
                InSyncChanges.decide(
                        1, shrink, after, new TopicRules(3, false, false), empty, _ -> true);
        assertThat(decision.changed()).isNull();
        assertThat(decision.answer())
                .isInstanceOfSatisfying(
                        InSyncAnswer.Refused.class,
                        refused ->
                                assertThat(refused.flaw())
                                        .isEqualTo(InSyncAnswer.Flaw.STALE_CHANGE));
    }

    private TopicPlan altered(TopicPlan plan, String name, @Nullable String value) {
        Map<String, @Nullable String> changes = new HashMap<>();
        changes.put(name, value);
        return done(
                decide(
                        new TopicCommand.ChangeSettings(plan.name(), changes),
                        empty.with(plan),
                        ID));
    }

    private static int minOf(TopicPlan plan) {
        return Objects.requireNonNull(plan.rules()).minInSync();
    }

    /// Else the topic's leaders, whose configuration may be another, would commit by other rules than those by which they are replaced.
    @Test
    void whatDecidesIsNotedWithTheTopicAndStays() {
        minByDefault = 2;
        TopicPlan made = done(decide(create("orders", 1, 3), empty, ID));
        assertThat(made.settings()).isEmpty();
        assertThat(minOf(made)).isEqualTo(2);
        minByDefault = 3;
        TopicPlan altered = altered(made, "a", "1");
        assertThat(minOf(altered)).as("nobody has asked for another").isEqualTo(2);
        assertThat(altered.partitions()).isEqualTo(made.partitions());
        assertThat(minOf(altered(made, TopicRules.MIN_IN_SYNC, "1"))).isEqualTo(1);
        TopicPlan taken = altered(made, TopicRules.MIN_IN_SYNC, null);
        assertThat(minOf(taken)).as("the default of now").isEqualTo(3);
        assertThat(taken.settings()).isEmpty();
        assertThat(taken.partitions().getFirst().change()).isEqualTo(1);
    }

    private static TopicCommand demanding(int factor, String min) {
        return new TopicCommand.Create(
                "orders", 2, factor, List.of(), Map.of(TopicRules.MIN_IN_SYNC, min));
    }

    private static TopicCommand demand(String min) {
        return new TopicCommand.ReplaceSettings("orders", Map.of(TopicRules.MIN_IN_SYNC, min));
    }

    @Test
    void whoAsksForMoreConfirmationsThanThereAreReplicasIsRefused() {
        TopicPlanner.Decision made = decide(demanding(2, "3"), empty, ID);
        assertThat(refused(made)).isEqualTo(Reason.INVALID_SETTING);
        assertThat(((TopicOutcome.Refused) made.outcome()).sentence())
                .contains(
                        "min.insync.replicas=3",
                        "replication factor 2 of topic 'orders'",
                        "Choose 1 to 2, or give the topic more replicas first");
        ClusterView view = empty.with(done(decide(demanding(2, "2"), empty, ID)));
        assertThat(refused(decide(demand("3"), view, ID))).isEqualTo(Reason.INVALID_SETTING);
        Map<String, @Nullable String> change = new HashMap<>();
        change.put(TopicRules.MIN_IN_SYNC, "3");
        assertThat(refused(decide(new TopicCommand.ChangeSettings("orders", change), view, ID)))
                .isEqualTo(Reason.INVALID_SETTING);
    }

    @Test
    void asADefaultMoreConfirmationsThanReplicasAreLetThrough() {
        minByDefault = 3;
        TopicPlan made = done(decide(create("orders", 2, 2), empty, ID));
        assertThat(minOf(made)).isEqualTo(3);
        assertThat(minOf(altered(made, TopicRules.MIN_IN_SYNC, null))).isEqualTo(3);
    }

    /// Else nothing could be changed any more of a topic whose replicas were made fewer.
    @Test
    void whatWasTooMuchBeforeHindersNoOtherSetting() {
        TopicPlan three = done(decide(demanding(3, "3"), empty, ID));
        List<PartitionPlan> fewer =
                List.of(PartitionPlan.fresh(List.of(1, 2)), PartitionPlan.fresh(List.of(2, 3)));
        TopicPlan two = three.with(fewer);
        assertThat(altered(two, "a", "1").settings()).containsEntry("a", "1");
    }

    @Test
    void replicasThatAreOnTheirWayCount() {
        TopicPlan plan = done(decide(create("orders", 2, 1), empty, ID));
        ClusterView view = empty.with(plan);
        assertThat(refused(decide(demand("2"), view, ID))).isEqualTo(Reason.INVALID_SETTING);
        MoveQueue queue =
                MoveQueue.of(plan, view)
                        .with(new TreeMap<>(Map.of(0, List.of(1, 2), 1, List.of(2, 3))));
        ClusterView moving =
                new ClusterView(
                        view.clusterId(),
                        view.office(),
                        view.brokersAndMembers(),
                        view.plans(),
                        new ClusterView.Upcoming(
                                new TreeMap<>(),
                                new TreeMap<>(Map.of("orders", queue)),
                                MoveLimit.NONE));
        assertThat(minOf(done(decide(demand("2"), moving, ID)))).isEqualTo(2);
    }

    @Test
    void whenAllSettingsAreReplacedWhatWasSetFollowsTheDefault() {
        TopicPlan made = done(decide(create("orders", 1, 3), empty, ID));
        TopicPlan set = altered(made, TopicRules.MIN_IN_SYNC, "2");
        minByDefault = 3;
        TopicCommand nothing = new TopicCommand.ReplaceSettings("orders", Map.of());
        assertThat(minOf(done(decide(nothing, empty.with(set), ID)))).isEqualTo(3);
        assertThat(minOf(done(decide(nothing, empty.with(made), ID)))).isEqualTo(1);
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
        TopicPlanner.Decision wide = decide(create("wide", 10_000, 3), empty, mebibyte);
        assertThat(refused(wide)).isEqualTo(Reason.INVALID_PARTITIONS);
        assertThat(((TopicOutcome.Refused) wide.outcome()).sentence())
                .contains("'wide'", "10000 partitions of 3", "1MiB", "several topics");
        assertThat(wide.changes()).isEmpty();
        TopicPlan plan = done(decide(create("orders", 5_000, 3), empty, mebibyte));
        ClusterView view = empty.with(plan);
        assertThat(
                        refused(
                                decide(
                                        new TopicCommand.Grow("orders", 10_000, List.of()),
                                        view,
                                        mebibyte)))
                .isEqualTo(Reason.INVALID_PARTITIONS);
        done(decide(new TopicCommand.Grow("orders", 5_100, List.of()), view, mebibyte));
        done(decide(create("wide", 10_000, 3), empty, 8 * mebibyte));
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
        return planner.decide(command, new Circumstances(view, new TreeSet<>(stopping)), id);
    }

    private static TopicCommand create(String name, int partitions, int factor) {
        return new TopicCommand.Create(name, partitions, factor, List.of(), Map.of());
    }

    private static TopicPlan done(TopicPlanner.Decision decision) {
        assertThat(decision.outcome()).isInstanceOf(TopicOutcome.Done.class);
        assertThat(decision.changes()).isNotEmpty();
        return ((TopicOutcome.Done) decision.outcome()).plan();
    }

    private static Reason refused(TopicPlanner.Decision decision) {
        assertThat(decision.changes()).isEmpty();
        assertThat(decision.outcome()).isInstanceOf(TopicOutcome.Refused.class);
        TopicOutcome.Refused refused = (TopicOutcome.Refused) decision.outcome();
        assertThat(refused.sentence()).endsWith(".");
        return refused.reason();
    }
}
