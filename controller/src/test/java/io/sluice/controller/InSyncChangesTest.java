package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.InSyncAnswer.Flaw;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// Which wishes of a leader are granted (R5, R7, KIP-903).
/// Shows Q24: who is in sync.
class InSyncChangesTest {
    private static final UUID TOPIC = new UUID(1, 1);
    private static final TopicRules RULES = new TopicRules(2, false, false);
    private final ClusterView view =
            new ClusterView(
                    "c",
                    List.of(
                            new BrokerView(1, "a", 1, null, 11),
                            new BrokerView(2, "b", 1, null, 12),
                            new BrokerView(3, "c", 1, null, 13)),
                    1,
                    List.of());
    private final PartitionPlan plan =
            new PartitionPlan(
                    List.of(1, 2, 3, 4), 1, 5, List.of(1, 2), List.of(), List.of(), List.of(), 7);

    private InSyncChanges.Decision ask(
            int broker, int term, int change, Map<Integer, Long> inSync) {
        return ask(plan, broker, term, change, inSync);
    }

    private InSyncChanges.Decision ask(
            PartitionPlan present, int broker, int term, int change, Map<Integer, Long> inSync) {
        return InSyncChanges.decide(
                broker,
                new InSyncChange(TOPIC, 0, term, change, new TreeMap<>(inSync)),
                present,
                RULES,
                view,
                id -> id != 2);
    }

    private static Flaw flaw(InSyncChanges.Decision decision) {
        assertThat(decision.changed()).isNull();
        if (decision.answer() instanceof InSyncAnswer.Refused(Flaw flaw, String sentence)) {
            assertThat(sentence).endsWith(".");
            return flaw;
        }
        throw new AssertionError("not refused: " + decision);
    }

    @Test
    void whatTheLeaderAsksInThePresentPlanIsGranted() {
        InSyncChanges.Decision grown = ask(1, 5, 7, Map.of(1, 11L, 3, 13L));
        PartitionPlan changed = Objects.requireNonNull(grown.changed());
        assertThat(changed.inSync()).containsExactly(1, 3);
        assertThat(changed.change()).isEqualTo(8);
        assertThat(changed.leaderEpoch()).isEqualTo(5);
        assertThat(grown.answer()).isEqualTo(new InSyncAnswer.Accepted(1, 5, List.of(1, 3), 8));
    }

    @Test
    void aSetThatBecomesTooSmallKeepsTheOthersEligible() {
        PartitionPlan changed = Objects.requireNonNull(ask(1, 5, 7, Map.of(1, 11L)).changed());
        assertThat(changed.eligible()).containsExactly(2);
    }

    @Test
    void aStaleLeaderShrinksNothing() {
        assertThat(flaw(ask(2, 4, 6, Map.of(2, 12L)))).isEqualTo(Flaw.FENCED_LEADER_EPOCH);
        assertThat(flaw(ask(2, 5, 7, Map.of(2, 12L)))).isEqualTo(Flaw.FENCED_LEADER_EPOCH);
        assertThat(flaw(ask(1, 5, 6, Map.of(1, 11L)))).isEqualTo(Flaw.STALE_CHANGE);
    }

    @Test
    void aLeaderThatKnowsMoreIsToldToAskAgain() {
        assertThat(flaw(ask(1, 6, 8, Map.of(1, 11L)))).isEqualTo(Flaw.BEHIND);
        assertThat(flaw(ask(1, 5, 8, Map.of(1, 11L)))).isEqualTo(Flaw.BEHIND);
    }

    @Test
    void whoRegisteredAnewSinceIsNotInSync() {
        assertThat(flaw(ask(1, 5, 7, Map.of(1, 11L, 3, 9L)))).isEqualTo(Flaw.INELIGIBLE_REPLICA);
        assertThat(flaw(ask(1, 5, 7, Map.of(1, 11L, 4, 14L)))).isEqualTo(Flaw.INELIGIBLE_REPLICA);
        assertThat(flaw(ask(1, 5, 7, Map.of(1, 11L, 2, 12L, 3, 13L))))
                .as("2 is about to stop")
                .isEqualTo(Flaw.INELIGIBLE_REPLICA);
    }

    @Test
    void onlyReplicasCount() {
        assertThat(flaw(ask(1, 5, 7, Map.of(1, 11L, 9, 1L)))).isEqualTo(Flaw.INVALID);
    }

    /// A leader that has lost its data says so by not counting itself.
    @Test
    void aLeaderThatResignsIsFollowedByAnInSyncReplica() {
        PartitionPlan changed = Objects.requireNonNull(ask(1, 5, 7, Map.of(2, 12L)).changed());
        assertThat(changed.leader()).isEqualTo(2);
        assertThat(changed.leaderEpoch()).isEqualTo(6);
        assertThat(changed.inSync()).containsExactly(2);
        assertThat(changed.eligible()).isEmpty();
        assertThat(changed.change()).isEqualTo(8);
    }

    @Test
    void aLeaderThatResignsWhileTheOthersAreAwayLeavesThePlaceToThem() {
        PartitionPlan away = plan.counting(List.of(1, 4), List.of());
        PartitionPlan changed = Objects.requireNonNull(resign(away).changed());
        assertThat(changed.leader()).isEqualTo(PartitionPlan.NONE);
        assertThat(changed.inSync()).containsExactly(4);
        PartitionPlan eligible = plan.counting(List.of(1), List.of(3, 4));
        assertThat(Objects.requireNonNull(resign(eligible).changed()).leader()).isEqualTo(3);
    }

    @Test
    void theLastThatMayHaveItStays() {
        PartitionPlan last = plan.counting(List.of(1), List.of());
        assertThat(resign(last).changed()).isNull();
        assertThat(resign(last).answer())
                .isEqualTo(new InSyncAnswer.Accepted(1, 5, List.of(1), last.change()));
    }

    /// Its disk has lost files: it is not counted before its leader has seen that it has everything again, and whoever leads goes on.
    @Test
    void aFollowerThatLacksSomethingIsNotInSync() {
        PartitionPlan changed = Objects.requireNonNull(resign(2, plan).changed());
        assertThat(changed.leader()).isEqualTo(1);
        assertThat(changed.leaderEpoch()).isEqualTo(5);
        assertThat(changed.inSync()).containsExactly(1);
        assertThat(changed.eligible()).isEmpty();
        assertThat(changed.change()).isEqualTo(8);
        assertThat(resign(2, plan).answer())
                .isEqualTo(new InSyncAnswer.Accepted(1, 5, List.of(1), 8));
    }

    /// Also where the set that it asks for is the present one: it would be the last hope, and lead without what was committed.
    @Test
    void aFollowerThatLacksSomethingIsNotEligible() {
        PartitionPlan eligible = plan.counting(List.of(1), List.of(2, 3));
        PartitionPlan changed =
                Objects.requireNonNull(
                        InSyncChanges.decide(
                                        2,
                                        new InSyncChange(
                                                TOPIC,
                                                0,
                                                5,
                                                eligible.change(),
                                                new TreeMap<>(Map.of(1, 11L))),
                                        eligible,
                                        RULES,
                                        view,
                                        _ -> true)
                                .changed());
        assertThat(changed.inSync()).containsExactly(1);
        assertThat(changed.eligible()).containsExactly(3);
        PartitionPlan leaderless = Elections.settle(changed, other -> other == 2, RULES);
        assertThat(leaderless.leader()).isEqualTo(PartitionPlan.NONE);
    }

    @Test
    void aFollowerThatIsNotCountedIsToldSo() {
        assertThat(resign(3, plan).changed()).isNull();
        assertThat(resign(3, plan).answer())
                .isEqualTo(new InSyncAnswer.Accepted(1, 5, List.of(1, 2), 7));
    }

    /// It may have caught up since, and be the last one that has everything.
    @Test
    void aFollowersOldWishIsRefused() {
        PartitionPlan later = plan.counting(List.of(1, 2), List.of());
        InSyncChange old = new InSyncChange(TOPIC, 0, 5, plan.change(), new TreeMap<>());
        assertThat(flaw(InSyncChanges.decide(2, old, later, RULES, view, _ -> true)))
                .isEqualTo(Flaw.STALE_CHANGE);
    }

    private InSyncChanges.Decision resign(PartitionPlan from) {
        return resign(1, from);
    }

    private InSyncChanges.Decision resign(int broker, PartitionPlan from) {
        return InSyncChanges.decide(
                broker,
                new InSyncChange(TOPIC, 0, 5, from.change(), new TreeMap<>()),
                from,
                RULES,
                view,
                _ -> true);
    }

    @Test
    void whatIsSoAlreadyIsGrantedAsAChange() {
        InSyncChanges.Decision again = ask(1, 5, 7, Map.of(1, 11L, 2, 12L));
        assertThat(Objects.requireNonNull(again.changed()).inSync()).containsExactly(1, 2);
        assertThat(again.answer()).isEqualTo(new InSyncAnswer.Accepted(1, 5, List.of(1, 2), 8));
    }

    /// The leader was in doubt about what it had asked for first, was told that it is not so, and has committed without the third since.
    @Test
    void whatWasAskedForBeforeAndComesLateCountsNoMore() {
        InSyncChanges.Decision settled = ask(1, 5, 7, Map.of(1, 11L, 2, 12L));
        PartitionPlan present = Objects.requireNonNull(settled.changed());
        assertThat(flaw(ask(present, 1, 5, 7, Map.of(1, 11L, 2, 12L, 3, 13L))))
                .isEqualTo(Flaw.STALE_CHANGE);
    }

    /// It would take its rules for those of the present plan, and the next set that it asks for would be granted by others.
    @Test
    void aLeaderWithoutTheLatestNewsIsNotToldThatItIsSoAlready() {
        assertThat(flaw(ask(1, 5, 6, Map.of(1, 11L, 2, 12L)))).isEqualTo(Flaw.STALE_CHANGE);
    }
}
