package io.sluice.simulation.log;

import static org.assertj.core.api.Assertions.fail;

import io.sluice.log.PartitionLog;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.Scenario;
import io.sluice.simulation.Story;
import io.sluice.simulation.disk.LyingDisk;
import io.sluice.simulation.disk.LyingDisk.Lie;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The simulation is worth as much as the mistakes that it finds: each of these must not survive it.
class LogBitesTest {
    private static final int SEEDS = 500;

    @Test
    void acknowledgingBeforeFsyncIsFound() {
        assertFound(Habits.disk(disk -> new LyingDisk(disk, Lie.SKIP_FORCE, path -> true)));
    }

    @Test
    void sealingASegmentBeforeItsBytesAreDurableIsFound() {
        assertFound(
                Habits.disk(
                        disk ->
                                new LyingDisk(
                                        disk, Lie.SKIP_FORCE, path -> path.endsWith(".log"))));
    }

    @Test
    void checkpointingBeforeTheDataIsDurableIsFound() {
        assertFound(Habits.checkpoint(LogBitesTest::endAsRecoveryPoint));
    }

    @Test
    void tryingAFailedFsyncAgainIsFound() {
        assertFound(Habits.disk(disk -> new LyingDisk(disk, Lie.RETRY_FORCE, path -> true)));
    }

    @Test
    void forgettingToSyncDirectoriesIsFound() {
        assertFound(
                Habits.disk(disk -> new LyingDisk(disk, Lie.SKIP_DIRECTORY_SYNC, path -> true)));
    }

    @Test
    void ignoringAFullDiskIsFound() {
        assertFound(Habits.disk(disk -> new LyingDisk(disk, Lie.SWALLOW_FULL, path -> true)));
    }

    @Test
    void notCheckingChecksumsAtRecoveryIsFound() {
        assertFound(
                Habits.disk(
                        disk ->
                                new LyingDisk(
                                        disk,
                                        Lie.BELIEVE_CHECKSUMS,
                                        path -> path.endsWith(".log"))));
    }

    private static RecoveryPoint endAsRecoveryPoint(PartitionLog log) {
        RecoveryPoint right = log.recoveryPoint();
        if (log.segments().isEmpty()) {
            return right;
        }
        SegmentFacts last = log.segments().getLast();
        return new RecoveryPoint(
                right.startOffset(),
                log.endOffset(),
                last.baseOffset(),
                last.sizeInBytes(),
                right.sizeInBytes(),
                right.leaderEpoch(),
                false);
    }

    /// Some seed fails with the mistake and passes without.
    private static void assertFound(Habits mistaken) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            String broken = invariantBrokenBy(LogScenario.with(mistaken), seed);
            if (broken != null && invariantBrokenBy(LogScenario.usual(), seed) == null) {
                System.out.println("log: found by seed " + seed + ": " + broken);
                return;
            }
        }
        fail("The mistake went unnoticed by " + SEEDS + " seeds.");
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
