package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.FileSlice;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import io.sluice.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q8, Q13: one damaged bit is never served, whether a checksum covers it or not")
final class UncoveredBytesTest {
    private static final int BATCHES = 12;

    private final LogFixture before = new LogFixture();
    private final List<RecordBatch> appended = new ArrayList<>();

    /// Three leaders' terms of four batches each, in one segment that is not sealed.
    private void fillThreeTerms() {
        for (int i = 0; i < BATCHES; i++) {
            before.log.append(batch(i), 1 + 2 * (i / 4));
        }
        before.flush();
        appended.addAll(batchesFrom(before, 0));
    }

    private static java.nio.ByteBuffer batch(int i) {
        return new BatchBuilder()
                .add(LogRecord.of(ManualClock.START_MILLIS, "key", "value-" + (10 + i)))
                .build();
    }

    private static List<RecordBatch> batchesFrom(LogFixture log, long offset) {
        List<RecordBatch> batches = new ArrayList<>();
        long next = offset;
        while (log.read(next, 1 << 20) instanceof ReadResult.Found(FileSlice slice)) {
            batches.addAll(LogFixture.batches(slice));
            slice.release();
            next = batches.getLast().nextOffset();
        }
        return batches;
    }

    @Test
    void belowTheRecoveryPointItIsReportedAndNothingElseIsLost() {
        fillThreeTerms();
        RecoveryPoint known = before.log.recoveryPoint();
        int size = appended.getFirst().sizeInBytes();
        for (int at = 0; at < size * BATCHES; at++) {
            LogFixture after = damaged(at, known);
            int broken = at / size;
            assertThat(after.log.endOffset()).as("byte %d", at).isEqualTo(BATCHES);
            for (int offset = 0; offset < BATCHES; offset++) {
                if (offset == broken) {
                    assertThat(after.read(offset, 1))
                            .as("byte %d", at)
                            .isInstanceOf(ReadResult.Damaged.class);
                } else {
                    assertServed(after, offset, at);
                }
            }
            assertGoesOn(after, at);
        }
    }

    @Test
    void aboveTheRecoveryPointTheLogEndsThere() {
        fillThreeTerms();
        int size = appended.getFirst().sizeInBytes();
        for (int at = 0; at < size * BATCHES; at++) {
            LogFixture after = damaged(at, null);
            int broken = at / size;
            assertThat(after.log.endOffset()).as("byte %d", at).isEqualTo(broken);
            for (int offset = 0; offset < broken; offset++) {
                assertServed(after, offset, at);
            }
            assertGoesOn(after, at);
        }
    }

    private LogFixture damaged(int at, @Nullable RecoveryPoint known) {
        CrashDisk disk = before.disk.copy();
        disk.flipBit(before.logFile(0), at);
        return new LogFixture(disk, before.settings, known);
    }

    private void assertServed(LogFixture after, int offset, int at) {
        ReadResult result = after.read(offset, 1);
        assertThat(result)
                .as("byte %d, offset %d", at, offset)
                .isInstanceOf(ReadResult.Found.class);
        FileSlice slice = ((ReadResult.Found) result).records();
        assertThat(LogFixture.batches(slice).getFirst().bytes())
                .as("byte %d, offset %d", at, offset)
                .isEqualTo(appended.get(offset).bytes());
        slice.release();
    }

    private static void assertGoesOn(LogFixture after, int at) {
        long end = after.log.endOffset();
        after.append("next");
        after.flush();
        LogFixture again = after.reopen(after.log.recoveryPoint());
        assertThat(again.valuesFrom(end)).as("byte %d", at).containsExactly("next");
    }

    @Test
    void aCompactedSegmentHasNoPlaceForAChangedOffset() {
        LogFixture log =
                new LogFixture(
                        BatchValidationTest.settings("cleanup.policy", "compact")
                                .withSegments(1 << 20, 4096));
        for (int i = 0; i < 40; i++) {
            log.append(
                    new BatchBuilder()
                            .add(LogRecord.of(ManualClock.START_MILLIS, "key-" + i % 7 * i, "v"))
                            .build());
        }
        log.log.roll();
        log.flush();
        var compaction = log.log.beginCompaction(Long.MAX_VALUE, 1 << 20);
        assertThat(compaction).isNotNull();
        compaction.run();
        log.log.completeCompaction(compaction).run();
        List<Long> offsets = batchesFrom(log, 0).stream().map(RecordBatch::baseOffset).toList();
        int position = 0;
        for (RecordBatch batch : batchesFrom(log, 0)) {
            for (int at = position; at < position + 16; at++) {
                CrashDisk disk = log.disk.copy();
                disk.flipBit(log.logFile(0), at);
                LogFixture after = new LogFixture(disk, log.settings, log.log.recoveryPoint());
                assertThat(after.read(batch.baseOffset(), 1))
                        .as("byte %d", at)
                        .isInstanceOf(ReadResult.Damaged.class);
                List<Long> behind =
                        offsets.stream().filter(offset -> offset > batch.baseOffset()).toList();
                if (!behind.isEmpty()) {
                    assertThat(batchesFrom(after, behind.getFirst()))
                            .extracting(RecordBatch::baseOffset)
                            .isEqualTo(behind);
                }
            }
            position += batch.sizeInBytes();
        }
    }

    @Test
    void compactionDoesNotCarryADamagedEpochOn() {
        LogFixture log =
                new LogFixture(
                        BatchValidationTest.settings("cleanup.policy", "compact")
                                .withSegments(1000, 100));
        for (int i = 0; i < 40; i++) {
            log.append("value-" + i);
        }
        log.log.roll();
        log.flush();
        log.disk.flipBit(log.logFile(0), 15);
        var compaction = log.log.beginCompaction(Long.MAX_VALUE, 1 << 20);
        assertThat(compaction).isNotNull();
        compaction.run();
        log.log.completeCompaction(compaction).run();
        assertThat(compaction.damage()).isNotNull();
        assertThat(log.read(0, 1)).isInstanceOf(ReadResult.Damaged.class);
        assertThat(log.read(1, 1)).isInstanceOf(ReadResult.Found.class);
    }

    @Test
    void namesOfEpochsDoNotPileUp() {
        LogFixture log = new LogFixture();
        for (int epoch = 0; epoch < 100; epoch++) {
            log.log.append(LogFixture.batch("value-" + epoch), epoch);
            log = log.reopen(log.log.beginClose().run());
            assertThat(log.disk.paths().stream().filter(path -> path.contains(".epoch-")).count())
                    .isLessThan(40);
        }
        assertThat(log.values()).isEqualTo(RecoveryTest.names(0, 100));
        assertThat(log.log.leaderEpochs().epochAt(42)).isEqualTo(42);
    }
}
