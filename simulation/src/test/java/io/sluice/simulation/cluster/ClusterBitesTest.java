package io.sluice.simulation.cluster;

import static org.assertj.core.api.Assertions.fail;

import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.Scenario;
import io.sluice.simulation.Story;
import io.sluice.simulation.disk.LyingDisk;
import io.sluice.simulation.disk.LyingDisk.Lie;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/// The simulation is worth as much as the mistakes that it finds: each of these, most of them once made by somebody, must not survive it.
class ClusterBitesTest {
    private static final int SEEDS = Integer.getInteger("sluice.biteSeeds", 2_000);

    /// For mistakes that need more seeds than there is time for in every build: `-Dsluice.patient=true`.
    private static final String PATIENT = "sluice.patient";

    private static final ClusterHabits GOOD = ClusterHabits.GOOD;

    @Test
    void cuttingALogToItsHighWatermarkIsFound() {
        assertFound("R1", GOOD.network(Mistakes::truncatesToHighWatermark));
    }

    @Test
    void notComparingEpochsBeforeCopyingIsFound() {
        assertFound("R2", GOOD.network((network, _) -> Mistakes.hidesItsLastEpoch(network)));
    }

    @Test
    @EnabledIfSystemProperty(named = PATIENT, matches = "true")
    void fetchingWithoutEpochFencingIsFound() {
        assertFound("R3", GOOD.handlers(Mistakes::fencesNobody));
    }

    @Test
    @EnabledIfSystemProperty(named = PATIENT, matches = "true")
    void takingReplicasForInSyncThatAreNotIsFound() {
        assertFound("R4", GOOD.network(Mistakes::expandsTooEarly));
    }

    @Test
    @EnabledIfSystemProperty(named = PATIENT, matches = "true")
    void anEmptyDiskUnderAnOldNameIsFound() {
        assertFound("R5", GOOD.registration((own, _) -> Mistakes.concealsAnEmptyDisk(own)));
    }

    @Test
    void aCrashThatPassesForACleanStopIsFound() {
        assertFound("R6", GOOD.registration(Mistakes::concealsACrash));
    }

    @Test
    @EnabledIfSystemProperty(named = PATIENT, matches = "true")
    void aCoordinatorThatConfirmsWhatItCouldNotKeepIsFound() {
        assertFound(
                "R8", GOOD.handlers((handlers, _) -> Mistakes.confirmsWhatWasNotKept(handlers)));
    }

    @Test
    void missingNewsOfThePlanIsFound() {
        assertFound("Z1", GOOD.coordination(Mistakes::missesNewsOfPlans));
    }

    @Test
    @EnabledIfSystemProperty(named = PATIENT, matches = "true")
    void ignoringTheEndOfASessionIsFound() {
        assertFound("Z2", GOOD.coordination(Mistakes::ignoresTheEndOfItsSession));
    }

    @Test
    void aControllerThatWritesAfterItsTimeIsFound() {
        assertFound("Z3", GOOD.coordination(Mistakes::writesWithoutEpochCheck));
    }

    @Test
    void takingUnknownForCommittedIsFound() {
        assertFound("unknown outcome", GOOD.coordination(Mistakes::takesUnknownForCommitted));
    }

    @Test
    @EnabledIfSystemProperty(named = PATIENT, matches = "true")
    void acknowledgingWhatOnlyTheLeaderHasIsFound() {
        assertFound("early ack", GOOD.handlers((handlers, _) -> Mistakes.acksTooEarly(handlers)));
    }

    @Test
    void askingForMoreThanOneHasIsFound() {
        assertFound("asks ahead", GOOD.network((network, _) -> Mistakes.asksAhead(network)));
    }

    @Test
    @EnabledIfSystemProperty(named = PATIENT, matches = "true")
    void countingReadersAsReplicasIsFound() {
        assertFound("readers", GOOD.handlers(Mistakes::takesReadersForReplicas));
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
