package io.sluice.simulation.cluster;

import static org.assertj.core.api.Assertions.fail;

import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.Scenario;
import io.sluice.simulation.Story;
import io.sluice.simulation.disk.LyingDisk;
import io.sluice.simulation.disk.LyingDisk.Lie;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The simulation is worth as much as the mistakes that it finds: each of these, most of them once made by somebody, must not survive it.
class ClusterBitesTest {
    private static final int SEEDS = Integer.getInteger("sluice.biteSeeds", 2_000);
    private static final Predicate<String> ALL = _ -> true;

    private static final ClusterHabits GOOD = ClusterHabits.GOOD;

    @Test
    void cuttingALogToItsHighWatermarkIsFound() {
        assertFound("R1", GOOD.network(Mistakes::truncatesToHighWatermark), ALL);
    }

    @Test
    void notComparingEpochsBeforeCopyingIsFound() {
        assertFound("R2", GOOD.network((network, _) -> Mistakes.hidesItsLastEpoch(network)), ALL);
    }

    @Test
    void fetchingWithoutEpochFencingIsFound() {
        assertFound("R3", GOOD.handlers(Mistakes::fencesNobody), ALL);
    }

    @Test
    void takingReplicasForInSyncThatAreNotIsFound() {
        assertFound("R4", GOOD.network(Mistakes::expandsTooEarly), ALL);
    }

    @Test
    void anEmptyDiskUnderAnOldNameIsFound() {
        assertFound("R5", GOOD.registration((own, _) -> Mistakes.concealsAnEmptyDisk(own)), ALL);
    }

    @Test
    void aCrashThatPassesForACleanStopIsFound() {
        assertFound("R6", GOOD.registration(Mistakes::concealsACrash), ALL);
    }

    @Test
    void aCoordinatorThatConfirmsWhatItCouldNotKeepIsFound() {
        assertFound(
                "R8",
                GOOD.handlers((handlers, _) -> Mistakes.confirmsWhatWasNotKept(handlers)),
                ALL);
    }

    @Test
    void missingNewsOfThePlanIsFound() {
        assertFound("Z1", GOOD.coordination(Mistakes::missesNewsOfPlans), ALL);
    }

    @Test
    void ignoringTheEndOfASessionIsFound() {
        assertFound("Z2", GOOD.coordination(Mistakes::ignoresTheEndOfItsSession), ALL);
    }

    @Test
    void aControllerThatWritesAfterItsTimeIsFound() {
        assertFound("Z3", GOOD.coordination(Mistakes::writesWithoutEpochCheck), ALL);
    }

    @Test
    void takingUnknownForCommittedIsFound() {
        assertFound("unknown outcome", GOOD.coordination(Mistakes::takesUnknownForCommitted), ALL);
    }

    @Test
    void acknowledgingWhatOnlyTheLeaderHasIsFound() {
        assertFound(
                "early ack", GOOD.handlers((handlers, _) -> Mistakes.acksTooEarly(handlers)), ALL);
    }

    @Test
    void askingForMoreThanOneHasIsFound() {
        assertFound("asks ahead", GOOD.network((network, _) -> Mistakes.asksAhead(network)), ALL);
    }

    @Test
    void countingReadersAsReplicasIsFound() {
        assertFound("readers", GOOD.handlers(Mistakes::takesReadersForReplicas), ALL);
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
        assertFound(
                "S3", GOOD.disk(disk -> new LyingDisk(disk, Lie.RETRY_FORCE, path -> true)), ALL);
    }

    @Test
    void electingWhoeverIsThereIsFound() {
        assertFound("unclean election", GOOD.topic("unclean.leader.election.enable", "true"), ALL);
    }

    @Test
    void theLastReplicaStandingIsFound() {
        assertFound("last standing", GOOD.topic("min.insync.replicas", "1"), ALL);
    }

    /// Some seed fails with the mistake and passes without.
    private static void assertFound(
            String name, ClusterHabits mistaken, Predicate<String> invariants) {
        Scenario withMistake = ClusterScenario.with(mistaken, invariants);
        for (long seed = 1; seed <= SEEDS; seed++) {
            String broken = invariantBrokenBy(withMistake, seed);
            if (broken != null && invariantBrokenBy(ClusterScenario.usual(), seed) == null) {
                System.out.println(
                        "cluster: " + name + " found by seed " + seed + ": " + shortened(broken));
                return;
            }
        }
        fail("The mistake went unnoticed by " + SEEDS + " seeds.");
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
