package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.segment.Verification;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q13: bytes that do not match their checksum are never served")
final class VerificationTest {
    private static final TopicSettings SMALL = TopicSettings.defaults().withSegments(1000, 150);

    @Test
    void ownAppendsAreServedAtOnce() {
        LogFixture log = new LogFixture(SMALL);
        RecoveryTest.fill(log, 0, 40);
        for (long offset = 0; offset < 40; offset++) {
            assertThat(log.log.read(offset, 100, 40, true)).isInstanceOf(ReadResult.Found.class);
        }
    }

    @Test
    void oldBytesAreCheckedOnceBeforeTheFirstRead() {
        LogFixture before = new LogFixture(SMALL);
        RecoveryTest.fill(before, 0, 40);
        before.flush();
        LogFixture log = before.reopen(before.log.recoveryPoint());
        assertThat(log.log.read(0, 100, 40, true)).isInstanceOf(ReadResult.NeedsVerification.class);
        log.read(0, 100);
        assertThat(log.log.read(0, 100, 40, true)).isInstanceOf(ReadResult.Found.class);
        assertThat(log.log.read(39, 100, 40, true))
                .isInstanceOf(ReadResult.NeedsVerification.class);
    }

    @Test
    void everyFlippedByteOfASealedSegmentIsFoundAndItsNeighboursAreServed() {
        LogFixture before = new LogFixture(SMALL);
        for (int i = 10; i < 50; i++) {
            before.append("value-" + i);
        }
        before.flush();
        int perBatch = LogFixture.batch("value-10").remaining();
        int batches = before.log.segments().getFirst().sizeInBytes() / perBatch;
        for (int at = 0; at < perBatch * batches; at++) {
            CrashDisk disk = before.disk.copy();
            disk.flipBit(before.logFile(0), at);
            LogFixture log = new LogFixture(disk, SMALL, before.log.recoveryPoint());
            int broken = at / perBatch;
            for (int offset = 0; offset < broken; offset++) {
                assertThat(log.read(offset, 1))
                        .as("byte %d", at)
                        .isInstanceOf(ReadResult.Found.class);
            }
            assertThat(log.read(broken, 1))
                    .as("byte %d", at)
                    .isInstanceOfSatisfying(
                            ReadResult.Damaged.class,
                            damaged -> {
                                assertThat(damaged.file()).isEqualTo(before.logFile(0));
                                assertThat(damaged.position()).isEqualTo((long) broken * perBatch);
                            });
            // Behind the damage the next index entry is at most a few batches away.
            assertThat(log.read(batches, 1)).isInstanceOf(ReadResult.Found.class);
            if (broken + 3 < batches) {
                assertThat(log.read(broken + 3, 1))
                        .as("byte %d", at)
                        .isInstanceOf(ReadResult.Found.class);
            }
        }
    }

    @Test
    void scrubFindsWhatRottedAfterItWasChecked() {
        LogFixture log = new LogFixture(SMALL);
        RecoveryTest.fill(log, 0, 40);
        log.flush();
        log.values();
        log.log.rest(0);
        log.disk.flipBit(log.logFile(0), 70);
        assertThat(log.log.segments().getFirst().sealed()).isTrue();
        Verification scrub = log.log.beginScrub(0);
        scrub.run();
        assertThat(scrub.damages()).hasSize(1);
        log.log.completeVerification(scrub);
        assertThat(log.read(0, 100)).isInstanceOf(ReadResult.Damaged.class);
    }

    @Test
    void missingFileIsDamage() {
        LogFixture before = new LogFixture(SMALL);
        RecoveryTest.fill(before, 0, 40);
        before.flush();
        LogFixture log = before.reopen(before.log.recoveryPoint());
        log.disk.delete(log.logFile(0));
        assertThat(log.read(0, 100)).isInstanceOf(ReadResult.Damaged.class);
    }
}
