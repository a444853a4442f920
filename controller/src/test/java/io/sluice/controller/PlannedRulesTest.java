package io.sluice.controller;

import static io.sluice.controller.PlannedTopics.ID;
import static io.sluice.controller.PlannedTopics.done;
import static io.sluice.controller.PlannedTopics.newTopic;
import static io.sluice.controller.PlannedTopics.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.TopicOutcome.Reason;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What a topic's settings say about its leaders and acknowledgements: noted in its plan, and refused where it makes no sense.
class PlannedRulesTest {
    private final PlannedTopics topics = new PlannedTopics();
    private final ClusterView empty = topics.empty();

    private TopicPlanner.Decision decide(TopicCommand command, ClusterView view, UUID id) {
        return topics.decide(command, view, id);
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
        topics.minByDefault(2);
        TopicPlan made = done(decide(newTopic("orders", 1, 3), empty, ID));
        assertThat(made.settings()).isEmpty();
        assertThat(minOf(made)).isEqualTo(2);
        topics.minByDefault(3);
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
        topics.minByDefault(3);
        TopicPlan made = done(decide(newTopic("orders", 2, 2), empty, ID));
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
        TopicPlan plan = done(decide(newTopic("orders", 2, 1), empty, ID));
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
        TopicPlan made = done(decide(newTopic("orders", 1, 3), empty, ID));
        TopicPlan set = altered(made, TopicRules.MIN_IN_SYNC, "2");
        topics.minByDefault(3);
        TopicCommand nothing = new TopicCommand.ReplaceSettings("orders", Map.of());
        assertThat(minOf(done(decide(nothing, empty.with(set), ID)))).isEqualTo(3);
        assertThat(minOf(done(decide(nothing, empty.with(made), ID)))).isEqualTo(1);
    }
}
