package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.DiskException;
import io.sluice.log.AppendResult.Duplicate;
import io.sluice.log.compaction.Compaction;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q8, Q20: a compaction that fails or is interrupted leaves the log as it was")
final class InterruptedCompactionTest {
    private final LogFixture log =
            new LogFixture(
                    BatchValidationTest.settings("cleanup.policy", "compact,delete")
                            .withSegments(500, 200));

    @Test
    void damagedIndexOnItsWayInGivesTheOldSegmentsBack() {
        fill();
        Compaction compaction = begin();
        compaction.run();
        List<String> values = log.values();
        for (String path : swaps(log.disk, ".index.swap")) {
            for (int at = 0; at < 64; at++) {
                CrashDisk disk = log.disk.copy();
                disk.flipBit(path, at);
                LogFixture after = new LogFixture(disk, log.settings, null);
                assertThat(after.values()).containsSubsequence(lastOfEachKey());
                assertThat(after.log.endOffset()).isEqualTo(40);
                assertThat(swaps(disk, ".swap")).isEmpty();
            }
        }
        assertThat(values).hasSize(40);
    }

    @Test
    void halfSwappedInItIsUndoneWhenItsIndexIsDamaged() {
        fill();
        Compaction compaction = begin();
        compaction.run();
        CrashDisk disk = log.disk.copy();
        long base = compaction.replacements().getFirst().old().getLast().baseOffset();
        for (String suffix : List.of(".log", ".index")) {
            String path = LogFixture.FOLDER + "/" + String.format("%020d", base) + suffix;
            disk.rename(path, path + ".deleted");
        }
        disk.flipBit(swaps(disk, "00000000000000000000.index.swap").getFirst(), 20);
        LogFixture after = new LogFixture(disk, log.settings, null);
        assertThat(after.report.damages()).isEmpty();
        assertThat(after.values()).containsSubsequence(lastOfEachKey());
    }

    @Test
    void failedRunLeavesNothingThatComesInLater() {
        fill();
        Compaction compaction = begin();
        log.disk.failSyncOf = LogFixture.FOLDER;
        try {
            compaction.run();
        } catch (DiskException _) {
            assertThat(compaction.replacements()).isEmpty();
        }
        assertThat(swaps(log.disk, ".swap")).isEmpty();
        assertThat(log.reopen(null).values()).hasSize(40);
    }

    @Test
    void resultOfSegmentsThatRetentionHasDeletedIsGivenUp() {
        fill();
        begin().run();
        CrashDisk disk = log.disk.copy();
        for (String suffix : List.of(".log", ".index")) {
            disk.delete(LogFixture.FOLDER + "/00000000000000000000" + suffix);
        }
        LogFixture after = new LogFixture(disk, log.settings, null);
        assertThat(after.log.startOffset()).isPositive();
        assertThat(swaps(disk, ".swap")).isEmpty();
    }

    @Test
    void emptySegmentWithoutItsIndexIsNoGap() {
        fill();
        Compaction compaction = begin();
        compaction.run();
        log.log.completeCompaction(compaction).run();
        List<String> values = log.values();
        long empty =
                log.log.segments().stream()
                        .filter(facts -> facts.sizeInBytes() == 0 && facts.sealed())
                        .findFirst()
                        .orElseThrow()
                        .baseOffset();
        log.disk.flipBit(log.indexFile(empty), 20);
        LogFixture after = log.reopen(log.log.recoveryPoint());
        assertThat(after.values()).isEqualTo(values);
        assertThat(after.report.damages()).isEmpty();
    }

    @Test
    @DisplayName("Q6: a producer's last five batches stay known when their records are gone")
    void producerStaysKnown() {
        for (int sequence = 0; sequence < 5; sequence++) {
            log.append(byProducer(sequence));
        }
        fill();
        Compaction compaction = begin();
        compaction.run();
        log.log.completeCompaction(compaction).run();
        for (String path : swaps(log.disk, ".snapshot")) {
            log.disk.delete(path);
        }
        LogFixture after = log.reopen(null);
        for (int sequence = 0; sequence < 5; sequence++) {
            assertThat(after.log.append(byProducer(sequence), 0))
                    .isEqualTo(new Duplicate(sequence, sequence + 1, -1, 0));
        }
    }

    private static java.nio.ByteBuffer byProducer(int sequence) {
        return new BatchBuilder()
                .producer(9, (short) 0, sequence)
                .add(LogRecord.of(ManualClock.START_MILLIS, "key-" + sequence, "by producer"))
                .build();
    }

    private void fill() {
        for (int i = 0; i < 40; i++) {
            log.append(
                    new BatchBuilder()
                            .add(LogRecord.of(ManualClock.START_MILLIS, "key-" + i % 5, "v-" + i))
                            .build());
        }
        log.log.roll();
        log.flush();
    }

    private static List<String> lastOfEachKey() {
        return List.of("v-35", "v-36", "v-37", "v-38", "v-39");
    }

    private Compaction begin() {
        Compaction compaction = log.log.beginCompaction(Long.MAX_VALUE, 1 << 20);
        assertThat(compaction).isNotNull();
        return compaction;
    }

    private static List<String> swaps(CrashDisk disk, String suffix) {
        return disk.paths().stream().filter(path -> path.endsWith(suffix)).toList();
    }
}
