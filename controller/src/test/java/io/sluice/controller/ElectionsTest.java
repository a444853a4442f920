package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Who leads when brokers go: a table of partitions before and after.
/// Shows Q26: a broker dies and leaders move.
class ElectionsTest {
    private static final TopicRules CAREFUL = new TopicRules(2, false, false);
    private static final TopicRules UNCLEAN = new TopicRules(2, true, false);

    /// Replicas 1, 2, 3; term 5, change 7.
    private static PartitionPlan plan(int leader, List<Integer> inSync, List<Integer> eligible) {
        return new PartitionPlan(
                List.of(1, 2, 3), leader, 5, inSync, eligible, List.of(), List.of(), 7);
    }

    private static PartitionPlan settle(PartitionPlan plan, Integer... live) {
        return Elections.settle(plan, Set.of(live)::contains, CAREFUL);
    }

    @Test
    void whileAllAreLiveNothingChanges() {
        PartitionPlan plan = plan(2, List.of(2, 3), List.of());
        assertThat(settle(plan, 1, 2, 3)).isSameAs(plan);
    }

    @Test
    void theFirstLiveInSyncReplicaLeads() {
        PartitionPlan after = settle(plan(1, List.of(1, 3, 2), List.of()), 2, 3);
        assertThat(after.leader()).isEqualTo(2);
        assertThat(after.leaderEpoch()).isEqualTo(6);
        assertThat(after.change()).isEqualTo(8);
        assertThat(after.inSync()).containsExactly(3, 2);
        assertThat(after.eligible()).isEmpty();
    }

    @Test
    void aReplicaThatIsNotInSyncNeverLeads() {
        PartitionPlan after = settle(plan(1, List.of(1), List.of()), 2, 3);
        assertThat(after.hasLeader()).isFalse();
        assertThat(after.leaderEpoch()).isEqualTo(6);
        assertThat(after.inSync()).as("it may lead when it is back").containsExactly(1);
        assertThat(settle(after, 2, 3)).as("nothing new").isSameAs(after);
        assertThat(settle(after, 1, 2, 3).leader()).isEqualTo(1);
    }

    @Test
    void aFollowerThatGoesLeavesTheSetAndTheTermStays() {
        PartitionPlan after = settle(plan(1, List.of(1, 2, 3), List.of()), 1, 2);
        assertThat(after.leader()).isEqualTo(1);
        assertThat(after.leaderEpoch()).isEqualTo(5);
        assertThat(after.inSync()).containsExactly(1, 2);
        assertThat(after.change()).isEqualTo(8);
    }

    /// R6, KIP-966: the last replica standing must not be the only one that may lead; those that left last have everything committed, too.
    @Test
    void whoLeavesASetThatIsTooSmallStaysEligible() {
        PartitionPlan alone = settle(plan(1, List.of(1, 2), List.of()), 1);
        assertThat(alone.inSync()).containsExactly(1);
        assertThat(alone.eligible()).containsExactly(2);
        PartitionPlan next = settle(alone, 2, 3);
        assertThat(next.leader()).isEqualTo(2);
        assertThat(next.inSync()).containsExactly(2);
        assertThat(next.eligible()).as("the old leader has it all, too").containsExactly(1);
    }

    @Test
    void eligibleOnesAreForgottenWhenTheSetIsLargeEnough() {
        PartitionPlan alone = plan(1, List.of(1), List.of(2));
        assertThat(Elections.eligible(alone, List.of(1, 3), CAREFUL)).isEmpty();
        assertThat(Elections.eligible(alone, List.of(1), CAREFUL)).containsExactly(2);
    }

    @Test
    void uncleanElectionIsForTopicsThatWantIt() {
        PartitionPlan before = plan(1, List.of(1), List.of());
        PartitionPlan after = Elections.settle(before, Set.of(2, 3)::contains, UNCLEAN);
        assertThat(after.leader()).isEqualTo(2);
        assertThat(after.inSync()).containsExactly(2);
        assertThat(Elections.losesData(before, after)).isTrue();
        PartitionPlan clean = settle(plan(1, List.of(1, 3), List.of()), 3);
        assertThat(Elections.losesData(plan(1, List.of(1, 3), List.of()), clean)).isFalse();
    }

    @Test
    void theFirstReplicaGetsTheLeadershipBackWhenItIsInSync() {
        PartitionPlan moved = plan(2, List.of(1, 2, 3), List.of());
        PartitionPlan back = Elections.preferred(moved, Set.of(1, 2, 3)::contains);
        assertThat(back.leader()).isEqualTo(1);
        assertThat(back.leaderEpoch()).isEqualTo(6);
        PartitionPlan behind = plan(2, List.of(2, 3), List.of());
        assertThat(Elections.preferred(behind, Set.of(1, 2, 3)::contains)).isSameAs(behind);
        assertThat(Elections.preferred(moved, Set.of(2, 3)::contains)).isSameAs(moved);
    }

    @Test
    void aBrokerThatStopsHandsOverOnlyToSomebodyInSync() {
        PartitionPlan led = plan(1, List.of(1, 2), List.of());
        PartitionPlan after =
                Elections.handOver(led, 1, Set.of(1, 2, 3)::contains, _ -> false, CAREFUL);
        assertThat(after.leader()).isEqualTo(2);
        assertThat(after.inSync()).containsExactly(2);
        assertThat(after.eligible()).containsExactly(1);
        PartitionPlan alone = plan(1, List.of(1), List.of());
        assertThat(Elections.handOver(alone, 1, Set.of(1, 2, 3)::contains, _ -> false, UNCLEAN))
                .as("nobody can take over")
                .isSameAs(alone);
        PartitionPlan follower = plan(2, List.of(1, 2, 3), List.of());
        assertThat(
                        Elections.handOver(
                                        follower, 1, Set.of(1, 2, 3)::contains, _ -> false, CAREFUL)
                                .inSync())
                .containsExactly(2, 3);
    }

    private static PartitionPlan settleFull(PartitionPlan plan, Set<Integer> full) {
        return Elections.settle(plan, Set.of(1, 2, 3)::contains, full::contains, CAREFUL);
    }

    @Test
    void aLeaderWithAFullDiskYieldsToOneInSyncThatHasRoom() {
        PartitionPlan after = settleFull(plan(1, List.of(1, 2, 3), List.of()), Set.of(1, 2));
        assertThat(after.leader()).isEqualTo(3);
        assertThat(after.leaderEpoch()).isEqualTo(6);
        assertThat(after.inSync()).as("it may be able to copy").containsExactly(1, 2, 3);
        assertThat(settleFull(after, Set.of(1, 2))).as("nothing new").isSameAs(after);
    }

    @Test
    void aLeaderWithAFullDiskStaysWhereNobodyElseInSyncHasRoom() {
        PartitionPlan alone = plan(1, List.of(1), List.of(2));
        assertThat(settleFull(alone, Set.of(1))).as("only 2 has room").isSameAs(alone);
        PartitionPlan all = plan(1, List.of(1, 2, 3), List.of());
        assertThat(settleFull(all, Set.of(1, 2, 3))).isSameAs(all);
    }

    @Test
    void anElectionPrefersThoseWithRoomAndTakesAFullOneWhereThereIsNoOther() {
        PartitionPlan led = plan(1, List.of(1, 2, 3), List.of());
        assertThat(Elections.settle(led, Set.of(2, 3)::contains, id -> id == 2, CAREFUL).leader())
                .isEqualTo(3);
        assertThat(Elections.settle(led, Set.of(2)::contains, id -> id == 2, CAREFUL).leader())
                .isEqualTo(2);
        assertThat(
                        Elections.handOver(
                                        led, 1, Set.of(1, 2, 3)::contains, id -> id == 2, CAREFUL)
                                .leader())
                .isEqualTo(3);
    }

    /// A follower that has not heard of it yet would confirm what is in its page cache.
    @Test
    void aTopicThatLeavesThePageCacheBeginsANewTerm() {
        TopicRules cached = new TopicRules(1, false, true);
        TopicRules forced = new TopicRules(1, false, false);
        PartitionPlan before = PartitionPlan.fresh(List.of(1, 2, 3));
        PartitionPlan after = Elections.ruled(before, cached, forced);
        assertThat(after.leader()).isEqualTo(1);
        assertThat(after.leaderEpoch()).isEqualTo(before.leaderEpoch() + 1);
        assertThat(after.change()).isEqualTo(before.change() + 1);
        assertThat(after.unforced()).containsExactly(1, 2, 3);
        PartitionPlan relaxed = Elections.ruled(before, forced, cached);
        assertThat(relaxed.leaderEpoch()).isEqualTo(before.leaderEpoch());
        assertThat(relaxed.unforced()).isEmpty();
    }
}
