package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.FileSlice;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.repair.Gap;
import io.sluice.log.repair.SegmentRepair;
import io.sluice.log.segment.Verification;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q8, Q13: what has rotted is found by scrubbing and mended from another copy")
final class RepairTest {
    private static final TopicSettings SMALL = TopicSettings.defaults().withSegments(1000, 150);
    private static final int RECORDS = 40;

    private LogFixture sound = new LogFixture(SMALL);
    private RecoveryPoint point = sound.log.recoveryPoint();
    private int perBatch;
    private int segmentBytes;

    @BeforeEach
    void fill() {
        for (int i = 10; i < 10 + RECORDS; i++) {
            sound.append("value-" + i);
        }
        sound.flush();
        point = sound.log.recoveryPoint();
        perBatch = LogFixture.batch("value-10").remaining();
        segmentBytes = sound.log.segments().getFirst().sizeInBytes();
    }

    @Test
    void everyFlippedByteOfAClosedSegmentIsMended() {
        for (int at = 0; at < segmentBytes; at++) {
            CrashDisk disk = sound.disk.copy();
            disk.flipBit(sound.logFile(0), at);
            LogFixture log = new LogFixture(disk, SMALL, point);
            scrub(log, 300);
            assertThat(log.log.damages()).as("byte %d", at).hasSize(1);
            assertThat(mend(log)).as("byte %d", at).isTrue();
            assertSound(log, "byte " + at);
        }
    }

    @Test
    void manyDamagesAreMendedInOneRun() {
        CrashDisk disk = sound.disk.copy();
        for (int batch : new int[] {0, 1, 4}) {
            disk.flipBit(sound.logFile(0), batch * perBatch + 70);
        }
        disk.flipBit(sound.logFile(0), 6 * perBatch + 10);
        long second = sound.log.segments().get(1).baseOffset();
        disk.flipBit(sound.logFile(second), 5);
        LogFixture log = new LogFixture(disk, SMALL, point);
        scrub(log, Integer.MAX_VALUE);
        assertThat(log.log.damages()).hasSizeGreaterThanOrEqualTo(4);
        assertThat(mend(log)).isTrue();
        assertThat(mend(log)).isTrue();
        assertThat(log.log.beginRepair(RECORDS)).isNull();
        assertSound(log, "many");
    }

    @Test
    void aFileThatWasCutOffIsMended() {
        CrashDisk disk = sound.disk.copy();
        byte[] content = disk.content(sound.logFile(0));
        disk.replaceContent(sound.logFile(0), java.util.Arrays.copyOf(content, 3 * perBatch + 20));
        LogFixture log = new LogFixture(disk, SMALL, point);
        scrub(log, 300);
        assertThat(mend(log)).isTrue();
        assertSound(log, "cut off");
    }

    @Test
    void aFileThatWasDeletedIsMended() {
        LogFixture log = new LogFixture(sound.disk.copy(), SMALL, point);
        log.disk.delete(log.logFile(0));
        scrub(log, 300);
        assertThat(mend(log)).isTrue();
        assertSound(log, "deleted");
    }

    @Test
    void damageThatIsGoneWhenLookedAtAgainIsForgotten() {
        LogFixture log = damaged(70);
        scrub(log, 300);
        log.disk.flipBit(log.logFile(0), 70);
        SegmentRepair repair = begin(log);
        repair.prepare();
        assertThat(repair.gap()).isNull();
        log.log.completeRepair(repair).run();
        assertSound(log, "gone");
    }

    @Test
    void whatIsNotCommittedIsNotMended() {
        LogFixture log = damaged(70);
        scrub(log, 300);
        assertThat(log.log.beginRepair(3)).isNull();
    }

    @Test
    void batchesThatAreNotWhatWasThereAreRefused() {
        LogFixture other = new LogFixture(SMALL);
        for (int i = 10; i < 10 + RECORDS; i++) {
            other.append("other-values-" + i);
        }
        LogFixture log = damaged(3 * perBatch + 70);
        scrub(log, 300);
        SegmentRepair repair = begin(log);
        repair.prepare();
        assertThat(repair.fill(bytes(other, 3))).isNotNull();
        assertThat(repair.fill(bytes(sound, 4))).as("behind the gap").isNotNull();
        assertThat(repair.fill(bytes(sound, 2))).as("in front of it").isNotNull();
        ByteBuffer rotten = bytes(sound, 3);
        rotten.put(perBatch - 3, (byte) ~rotten.get(perBatch - 3));
        assertThat(repair.fill(rotten)).as("damaged, too").isNotNull();
        ByteBuffer otherEpoch = bytes(sound, 3);
        otherEpoch.putInt(12, 7);
        assertThat(repair.fill(otherEpoch)).as("of another leader").isNotNull();
        repair.abandon();
        assertThat(log.disk.paths()).noneMatch(path -> path.contains("clean"));
        assertThat(log.read(3, 1)).isInstanceOf(ReadResult.Damaged.class);
        assertThat(log.read(4, 1)).isInstanceOf(ReadResult.Found.class);
    }

    /// The last segment is closed first, so that nothing is written to it any more.
    @Test
    void theOpenSegmentIsClosedAndThenMended() {
        long last = sound.log.segments().getLast().baseOffset();
        CrashDisk disk = sound.disk.copy();
        disk.flipBit(sound.logFile(last), 70);
        LogFixture log = new LogFixture(disk, SMALL, point);
        assertThat(log.read(last, 1)).isInstanceOf(ReadResult.Damaged.class);
        assertThat(log.log.beginRepair(RECORDS)).isNull();
        log.flush();
        assertThat(mend(log)).isTrue();
        assertThat(log.values()).isEqualTo(sound.values());
        log.append("one more");
        assertThat(log.values()).hasSize(RECORDS + 1);
    }

    @Test
    void aRepairOfASegmentThatRetentionHasTakenIsGivenUp() {
        LogFixture log = damaged(70);
        scrub(log, 300);
        SegmentRepair repair = begin(log);
        repair.prepare();
        fillAll(repair);
        assertThat(repair.finish()).isNull();
        log.log.changeSettings(BatchValidationTest.settings("retention.bytes", "0"));
        SegmentDeletion deletion = log.log.beginRetention(RECORDS);
        assertThat(deletion).isNotNull();
        deletion.markDeleted();
        log.log.completeRepair(repair).run();
        assertThat(log.disk.paths())
                .noneMatch(path -> path.contains("swap") || path.contains("clean"));
    }

    @Test
    void aCrashAtAnyStepLeavesTheDamagedOrTheSoundSegment() {
        for (int step = 0; step < 200; step++) {
            LogFixture log = damaged(3 * perBatch + 70);
            scrub(log, 300);
            log.disk.stepsUntilPowerLoss = step;
            boolean survived = true;
            try {
                mend(log);
            } catch (CrashDisk.PowerLoss _) {
                survived = false;
            }
            log.disk.stepsUntilPowerLoss = -1;
            for (boolean loses : new boolean[] {true, false}) {
                CrashDisk disk = log.disk.copy();
                if (loses) {
                    disk.crash();
                }
                LogFixture after = new LogFixture(disk, SMALL, point);
                assertThat(after.log.endOffset()).isEqualTo(RECORDS);
                assertThat(disk.paths())
                        .noneMatch(path -> path.contains("swap") || path.contains("clean"));
                assertThat(after.read(2, 1)).isInstanceOf(ReadResult.Found.class);
                assertThat(after.read(4, 1)).isInstanceOf(ReadResult.Found.class);
                scrub(after, 300);
                assertThat(after.log.damages()).hasSizeLessThanOrEqualTo(1);
                if (survived || mend(after)) {
                    assertSound(after, "step " + step + ", loses " + loses);
                }
            }
            if (survived) {
                assertThat(step).isGreaterThan(8);
                return;
            }
        }
        throw new AssertionError("the repair never finished");
    }

    /// A pass goes over every closed byte once, in stretches of about the wanted size, and loads nothing that stays.
    @Test
    void aScrubReadsEveryClosedByteOnce() {
        LogFixture log = new LogFixture(sound.disk.copy(), SMALL, point);
        int closed =
                log.log.segments().stream()
                        .filter(facts -> facts.sealed())
                        .mapToInt(facts -> facts.sizeInBytes())
                        .sum();
        assertThat(scrub(log, 2 * perBatch)).isEqualTo(closed).isGreaterThan(2 * segmentBytes);
        assertThat(log.log.damages()).isEmpty();
    }

    private LogFixture damaged(int at) {
        CrashDisk disk = sound.disk.copy();
        disk.flipBit(sound.logFile(0), at);
        return new LogFixture(disk, SMALL, point);
    }

    /// All closed segments; returns how many bytes were looked at.
    private static int scrub(LogFixture log, int stretch) {
        long segment = 0;
        int position = 0;
        int bytes = 0;
        while (true) {
            Verification task = log.log.beginScrub(segment, position, stretch);
            if (task == null) {
                return bytes;
            }
            task.run();
            log.log.completeVerification(task);
            int from = task.segment().baseOffset() == segment ? position : 0;
            assertThat(task.endPosition()).isGreaterThan(from);
            bytes += task.endPosition() - from;
            segment = task.segment().baseOffset();
            position = task.endPosition();
        }
    }

    private static SegmentRepair begin(LogFixture log) {
        SegmentRepair repair = log.log.beginRepair(RECORDS);
        if (repair == null) {
            throw new AssertionError("nothing to mend");
        }
        return repair;
    }

    /// True when a segment was mended.
    private boolean mend(LogFixture log) {
        SegmentRepair repair = log.log.beginRepair(RECORDS);
        if (repair == null) {
            return false;
        }
        repair.prepare();
        fillAll(repair);
        assertThat(repair.finish()).isNull();
        log.log.completeRepair(repair).run();
        return true;
    }

    private void fillAll(SegmentRepair repair) {
        for (Gap gap = repair.gap(); gap != null; gap = repair.gap()) {
            assertThat(repair.fill(bytes(sound, gap.fromOffset()))).isNull();
        }
    }

    /// A few batches from the offset on, as another replica gives them.
    private ByteBuffer bytes(LogFixture from, long offset) {
        ReadResult read = from.read(offset, 2 * perBatch);
        if (read instanceof ReadResult.Found(FileSlice slice)) {
            ByteBuffer bytes = slice.read();
            slice.release();
            return bytes;
        }
        throw new AssertionError("not found: " + read);
    }

    private void assertSound(LogFixture log, String what) {
        assertThat(log.log.damages()).as(what).isEmpty();
        assertThat(log.values()).as(what).isEqualTo(sound.values());
        for (long base : List.of(0L, sound.log.segments().get(1).baseOffset())) {
            assertThat(log.disk.content(sound.logFile(base)))
                    .as(what)
                    .isEqualTo(sound.disk.content(sound.logFile(base)));
        }
        assertThat(log.disk.paths())
                .as(what)
                .noneMatch(path -> path.contains("swap") || path.contains("clean"));
        LogFixture again = log.reopen(log.log.recoveryPoint());
        assertThat(again.report.damages()).as(what).isEmpty();
        assertThat(again.values()).as(what).isEqualTo(sound.values());
    }
}
