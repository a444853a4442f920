package io.sluice.simulation.cluster;

import static org.assertj.core.api.Assertions.fail;

import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.Scenario;
import io.sluice.simulation.Story;
import io.sluice.simulation.cluster.ClusterScenario.Play;
import io.sluice.simulation.disk.LyingDisk;
import io.sluice.simulation.disk.LyingDisk.Lie;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The simulation is worth as much as the mistakes that it finds: each of these, most of them once made by somebody, must not survive it.
class ClusterBitesTest {
    private static final int SEEDS = Integer.getInteger("sluice.biteSeeds", 2_000);

    /// A story in which a mistake shows needs few.
    private static final int PLOT_SEEDS = 30;

    private static final ClusterHabits GOOD = ClusterHabits.GOOD;

    @Test
    void cuttingALogToItsHighWatermarkIsFound() {
        assertFound("R1", GOOD.network(FollowerMistakes::truncatesToHighWatermark));
    }

    @Test
    void notComparingEpochsBeforeCopyingIsFound() {
        assertFound(
                "R2", GOOD.network((network, _) -> FollowerMistakes.hidesItsLastEpoch(network)));
    }

    /// In a story of its own: what comes late must meet a follower that has lost everything and cannot reach its leader yet.
    @Test
    void aFetchOfAnEarlierLifeIsFound() {
        assertFound(
                "R3",
                new Plots.AnOldFetchComesLate(),
                GOOD.handlers(LeaderMistakes::countsFormerLives));
    }

    /// In a story of its own: a follower must miss two terms, of which the second is its leader's again.
    @Test
    void takingFollowersOfOtherTermsForOnesOwnIsFound() {
        assertFound(
                "R3 epochs",
                new TermPlots.AFollowerHearsOfNeitherTerm(),
                GOOD.handlers(LeaderMistakes::takesFollowersOfOtherTerms));
    }

    /// In a story of its own: a leader that asks for too many is mostly harmless, since it commits nothing that those do not have, and never more than one of three replicas lags while another is
    /// taken in, unless the two were away one after the other.
    @Test
    void takingReplicasForInSyncThatAreNotIsFound() {
        assertFound(
                "R4",
                new Plots.OneLagsWhileAnotherReturns(),
                GOOD.network(LeaderMistakes::expandsTooEarly));
    }

    /// In a story of its own: the controller must lose the store in the moment between the commit and its answer, and the replica that it has taken in must fall behind at once.
    @Test
    void takingWhatTheControllerDoesNotKnowForARefusalIsFound() {
        assertFound(
                "refused or unknown",
                new Plots.AnOfficeEndsWithACommitUnderWay(),
                GOOD.network((network, _) -> LeaderMistakes.takesUnknownForRefused(network)));
    }

    /// In a story of its own: where another replica lives, the broker with the empty disk has copied everything before anybody could elect it.
    @Test
    void anEmptyDiskUnderAnOldNameIsFound() {
        assertFound(
                "R5",
                new Plots.AnEmptyDiskWhileOthersAreAway(),
                GOOD.registration((own, _) -> RegistrationMistakes.concealsAnEmptyDisk(own)));
    }

    /// In a story of its own: random faults need hundreds of seeds.
    @Test
    void aCrashThatPassesForACleanStopIsFound() {
        assertFound(
                "R6",
                new Plots.APowerLossWhileAnotherIsAway(),
                GOOD.registration(RegistrationMistakes::concealsACrash));
    }

    @Test
    void aPowerLossThatPassesForACrashOfTheProcessIsFound() {
        assertFound(
                "R6 boot",
                new Plots.APowerLossWhileAnotherIsAway(),
                GOOD.registration((own, _) -> RegistrationMistakes.concealsAPowerLoss(own)));
    }

    /// In a story of its own: the former leader must be live in the controller's eyes, and without news of the plan.
    @Test
    void aFormerLeaderThatShrinksItsInSyncSetIsFound() {
        assertFound(
                "stale leader",
                new Plots.AFormerLeaderHearsLate(),
                GOOD.handlers(ControllerMistakes::believesFormerLeaders));
    }

    /// In a story of its own: the first question must come late, and the second one be for the set that there is.
    @Test
    void grantingWhatIsSoWithoutAChangeIsFound() {
        assertFound(
                "no change",
                new TopicPlots.AProposalComesLate(),
                GOOD.handlers(ControllerMistakes::grantsWithoutAChange));
    }

    /// In a story of its own: either mistake alone is made good by the other precaution.
    @Test
    void takingAnEarlierTopicsRecordsForOnesOwnIsFound() {
        assertFound(
                "earlier topic",
                new TopicPlots.AFormerReplicaMissesTheDeletion(),
                GOOD.coordination(StoreMistakes::asksReplicasAloneToDelete)
                        .disk(
                                disk ->
                                        new LyingDisk(
                                                disk,
                                                Lie.OVERLOOK_NAMES,
                                                name -> name.endsWith(".topic"))));
    }

    /// In a story of its own: whoever has the id now must be admitted and empty while the one that had it goes on.
    @Test
    void aProcessThatTakesItsSuccessorForItselfIsFound() {
        assertFound(
                "twins",
                new Plots.AnOldProcessFindsItsIdTaken(),
                GOOD.coordination(StoreMistakes::takesWhoeverHasItsIdForItself));
    }

    /// In a story of its own: whoever is copied anew has everything again before anybody could elect it.
    @Test
    void aReplicaThatForgetsWhatItHasLostIsFound() {
        assertFound(
                "lost files",
                new Plots.AFolderIsDeletedWhileAnotherIsAway(),
                GOOD.network(
                        (network, _) -> FollowerMistakes.concealsThatItHasLostRecords(network)));
    }

    @Test
    void aCoordinatorThatConfirmsWhatItCouldNotKeepIsFound() {
        assertFound(
                "R8",
                GOOD.handlers(
                        (handlers, _) -> CoordinatorMistakes.confirmsWhatWasNotKept(handlers)));
    }

    /// In a story of its own: the watermark must stand still for as long as somebody waits, and not only until the store has told what the controller has answered.
    @Test
    void waitingForThoseWhoWereTakenOutIsFound() {
        assertFound(
                "R7",
                new TermPlots.AFollowerFallsSilent(),
                GOOD.network(LeaderMistakes::waitsForThoseItHasTakenOut));
    }

    /// In a story of its own: another group must commit at the place of what was lost, before its client gives up.
    @Test
    void knowingCommitsByTheirOffsetAloneIsFound() {
        assertFound(
                "R8 offsets",
                new TermPlots.ACommitOutlivesItsTerm(),
                GOOD.handlers(CoordinatorMistakes::knowsCommitsByTheirOffsetAlone));
    }

    /// In a story of its own: any later change of the plan makes it good.
    @Test
    void notingAPlanBeforeItIsFollowedIsFound() {
        assertFound(
                "R9",
                new TermPlots.ALeaderIsReplacedWithoutTheStore(),
                GOOD.coordination(StoreMistakes::notesPlansTooEarly));
    }

    /// In a story of its own: a broker must be without the store, and so must whomever it takes for the controller, one after the other.
    @Test
    void aBrokerThatIsCertainForEverIsFound() {
        assertFound(
                "standing",
                new Plots.ACoordinatorIsLeftWithAFormerController(),
                GOOD.network(
                        (network, _) -> FollowerMistakes.takesEveryDenialForAnOutage(network)));
    }

    @Test
    void missingNewsOfThePlanIsFound() {
        assertFound("Z1", GOOD.coordination((store, _) -> StoreMistakes.missesNewsOfPlans(store)));
    }

    @Test
    void ignoringTheEndOfASessionIsFound() {
        assertFound("Z2", GOOD.coordination(StoreMistakes::ignoresTheEndOfItsSession));
    }

    @Test
    void aControllerThatWritesAfterItsTimeIsFound() {
        assertFound(
                "Z3",
                GOOD.coordination((store, _) -> StoreMistakes.writesWithoutEpochCheck(store)));
    }

    @Test
    void takingUnknownForCommittedIsFound() {
        assertFound(
                "unknown outcome",
                GOOD.coordination((store, _) -> StoreMistakes.takesUnknownForCommitted(store)));
    }

    @Test
    void acknowledgingWhatOnlyTheLeaderHasIsFound() {
        assertFound(
                "early ack", GOOD.handlers((handlers, _) -> LeaderMistakes.acksTooEarly(handlers)));
    }

    @Test
    void askingForMoreThanOneHasIsFound() {
        assertFound(
                "asks ahead", GOOD.network((network, _) -> FollowerMistakes.asksAhead(network)));
    }

    @Test
    void damageThatIsNeverMendedIsFound() {
        assertFound(
                "not mended",
                GOOD.network((network, _) -> FollowerMistakes.asksForNothingToMendWith(network)));
    }

    @Test
    void countingReadersAsReplicasIsFound() {
        assertFound("readers", GOOD.handlers(LeaderMistakes::takesReadersForReplicas));
    }

    /// Also by the losses alone that it leads to.
    @Test
    void acknowledgingBeforeFsyncIsFound() {
        assertFound(
                "no fsync",
                GOOD.disk(disk -> new LyingDisk(disk, Lie.SKIP_FORCE, path -> true)),
                invariant -> !invariant.equals("AcksAreDurableOnMinInSync"));
    }

    @Test
    void tryingAFailedFsyncAgainIsFound() {
        assertFound("S3", GOOD.disk(disk -> new LyingDisk(disk, Lie.RETRY_FORCE, path -> true)));
    }

    @Test
    void electingWhoeverIsThereIsFound() {
        assertFound("unclean election", GOOD.topic("unclean.leader.election.enable", "true"));
    }

    @Test
    void theLastReplicaStandingIsFound() {
        assertFound("last standing", GOOD.topic("min.insync.replicas", "1"));
    }

    private static void assertFound(String name, ClusterHabits mistaken) {
        assertFound(name, mistaken, Objects::nonNull); // By any invariant.
    }

    private static void assertFound(
            String name, ClusterHabits mistaken, Predicate<String> invariants) {
        assertFound(name, new Play(new Torment(), mistaken, invariants), SEEDS);
    }

    private static void assertFound(String name, Plot plot, ClusterHabits mistaken) {
        assertFound(name, new Play(plot, mistaken, Objects::nonNull), PLOT_SEEDS);
    }

    /// Some seed fails with the mistake and passes without.
    private static void assertFound(String name, Play mistaken, int seeds) {
        Scenario with = ClusterScenario.of(mistaken);
        Scenario without = ClusterScenario.of(new Play(mistaken.plot(), GOOD, Objects::nonNull));
        for (long seed = 1; seed <= seeds; seed++) {
            String broken = invariantBrokenBy(with, seed);
            if (broken != null && invariantBrokenBy(without, seed) == null) {
                System.out.println(
                        "cluster: " + name + " found by seed " + seed + ": " + shortened(broken));
                return;
            }
        }
        fail("The mistake went unnoticed by " + seeds + " seeds.");
    }

    private static String shortened(String text) {
        return text.length() > 200 ? text.substring(0, 200) + "…" : text;
    }

    private static @Nullable String invariantBrokenBy(Scenario scenario, long seed) {
        try {
            scenario.run(seed, Story.untold());
            return null;
        } catch (InvariantBroken e) {
            return e.getMessage();
        }
    }
}
