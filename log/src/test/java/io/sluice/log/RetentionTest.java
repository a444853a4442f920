package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.FileSlice;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q8, Q12: old data is deleted by time and by size, a whole segment at a time")
final class RetentionTest {
    private LogFixture log(String... pairs) {
        return new LogFixture(BatchValidationTest.settings(pairs).withSegments(1000, 200));
    }

    @Test
    void defaultIsTwoWeeks() {
        LogFixture log = log();
        RecoveryTest.fill(log, 0, 30);
        log.flush();
        log.clock.advance(Duration.ofDays(14).plusMillis(-1));
        assertThat(log.log.beginRetention(Long.MAX_VALUE)).isNull();
        log.clock.advance(Duration.ofMillis(2));
        append(log, log.clock.wallMillis(), "fresh");
        log.flush();
        SegmentDeletion deletion = log.log.beginRetention(Long.MAX_VALUE);
        assertThat(deletion).isNotNull();
        assertThat(log.values()).containsExactly("fresh");
        assertThat(log.log.startOffset()).isEqualTo(30);
    }

    @Test
    void sizeLimitKeepsAtLeastThatMuch() {
        LogFixture log = log("retention.bytes", "2500");
        RecoveryTest.fill(log, 0, 60);
        log.flush();
        SegmentDeletion deletion = log.log.beginRetention(Long.MAX_VALUE);
        assertThat(deletion).isNotNull();
        assertThat(log.log.sizeInBytes()).isBetween(2500L, 3500L);
        assertThat(log.log.startOffset()).isEqualTo(log.log.segments().getFirst().baseOffset());
        assertThat(log.read(0, 100)).isInstanceOf(ReadResult.OutOfRange.class);
    }

    @Test
    void nothingGoesBeforeEveryReplicaHasIt() {
        LogFixture log = log("retention.bytes", "0");
        RecoveryTest.fill(log, 0, 60);
        log.flush();
        long second = log.log.segments().get(1).baseOffset();
        SegmentDeletion deletion = log.log.beginRetention(second);
        assertThat(deletion).isNotNull();
        assertThat(log.log.startOffset()).isEqualTo(second);
        assertThat(log.log.beginRetention(second)).isNull();
    }

    @Test
    void filesAreRenamedFirstAndRemovedLater() {
        LogFixture log = log("retention.bytes", "0");
        RecoveryTest.fill(log, 0, 25);
        log.flush();
        SegmentDeletion deletion = requireDeletion(log);
        deletion.markDeleted();
        assertThat(log.disk.paths()).contains(log.logFile(0) + ".deleted");
        assertThat(log.disk.paths()).doesNotContain(log.logFile(0));
        assertThat(deletion.delayMillis()).isEqualTo(60_000);
        deletion.removeFiles();
        assertThat(log.disk.paths()).noneMatch(path -> path.endsWith(".deleted"));
        log.disk.crash();
        assertThat(log.reopen(null).log.startOffset()).isEqualTo(log.log.startOffset());
    }

    @Test
    void readerOfADeletedSegmentGoesOn() {
        LogFixture log = log("retention.bytes", "0");
        RecoveryTest.fill(log, 0, 25);
        log.flush();
        FileSlice slice = ((ReadResult.Found) log.read(0, 10_000)).records();
        SegmentDeletion deletion = requireDeletion(log);
        deletion.markDeleted();
        deletion.removeFiles();
        assertThat(LogFixture.batches(slice)).isNotEmpty();
        slice.release();
    }

    @Test
    void crashAtAnyPointOfADeletionLeavesALogWithoutAGap() {
        LogFixture log = log("retention.bytes", "0");
        RecoveryTest.fill(log, 0, 60);
        log.flush();
        RecoveryPoint point = log.log.recoveryPoint();
        SegmentDeletion deletion = requireDeletion(log);
        deletion.markDeleted();
        List<String> renames =
                log.disk.journal.stream().filter(line -> line.endsWith(".deleted")).toList();
        assertThat(renames).isNotEmpty();
        LogFixture after = log.reopen(point);
        assertThat(after.report.damages()).isEmpty();
        assertThat(after.log.endOffset()).isEqualTo(60);
    }

    @Test
    void logWhoseRecordsAllExpiredRemembersItsEnd() {
        LogFixture log = log();
        RecoveryTest.fill(log, 0, 30);
        log.flush();
        log.clock.advance(Duration.ofDays(15));
        SegmentDeletion first = requireDeletion(log);
        first.markDeleted();
        log.flush();
        SegmentDeletion last = requireDeletion(log);
        last.markDeleted();
        assertThat(log.log.startOffset()).isEqualTo(30);
        assertThat(log.log.endOffset()).isEqualTo(30);
        assertThat(log.log.sizeInBytes()).isZero();
        log.disk.crash();
        LogFixture after = log.reopen(null);
        assertThat(after.log.startOffset()).isEqualTo(30);
        assertThat(after.append("next").baseOffset()).isEqualTo(30);
        assertThat(after.values()).containsExactly("next");
        assertThat(log.append("next").baseOffset()).isEqualTo(30);
        assertThat(log.values()).containsExactly("next");
    }

    @Test
    void deletedRecordsStayDeleted() {
        LogFixture log = log();
        RecoveryTest.fill(log, 0, 30);
        log.flush();
        StartOffsetChange change = log.log.beginStartOffsetChange(13);
        assertThat(change).isNotNull();
        assertThat(log.log.startOffset()).isZero();
        change.run();
        log.log.completeStartOffsetChange(change);
        assertThat(log.log.startOffset()).isEqualTo(13);
        assertThat(log.read(12, 100)).isEqualTo(new ReadResult.OutOfRange(13, 30));
        assertThat(log.values()).isEqualTo(RecoveryTest.names(13, 17));
        log.disk.crash();
        assertThat(log.reopen(null).log.startOffset()).isEqualTo(13);
        assertThat(log.log.beginStartOffsetChange(13)).isNull();
        assertThat(log.log.beginStartOffsetChange(31)).isNull();
        requireDeletion(log);
        assertThat(log.log.segments().getFirst().endOffset()).isGreaterThan(13);
        assertThat(log.log.startOffset()).isEqualTo(13);
    }

    @Test
    void recordsWithoutTimestampDoNotAge() {
        LogFixture log = log();
        for (int i = 0; i < 30; i++) {
            append(log, -1, "value-" + i);
        }
        log.flush();
        log.clock.advance(Duration.ofDays(100));
        assertThat(log.log.beginRetention(Long.MAX_VALUE)).isNull();
    }

    @Test
    void oldSegmentRollsEvenIfNobodyWrites() {
        LogFixture log = log("segment.ms", "1000");
        log.append("a");
        log.log.rollIfOld();
        log.clock.advance(Duration.ofMillis(1001));
        log.log.rollIfOld();
        assertThat(log.log.needsFlush()).isTrue();
        log.flush();
        assertThat(log.log.needsFlush()).isFalse();
        assertThat(log.log.segments()).allMatch(segment -> segment.sealed());
        assertThat(log.append("b").baseOffset()).isEqualTo(1);
    }

    @Test
    void deletedPartitionIsGoneInOneStep() {
        LogFixture log = log();
        RecoveryTest.fill(log, 0, 30);
        log.flush();
        log.log.abandon();
        assertThat(log.disk.openHandles).isZero();
        String renamed = PartitionFolder.markDeleted(log.disk, LogFixture.FOLDER, "7");
        assertThat(PartitionFolder.isDeleted(renamed)).isTrue();
        assertThat(log.disk.exists(LogFixture.FOLDER)).isFalse();
        PartitionFolder.remove(log.disk, renamed);
        assertThat(log.disk.paths()).isEmpty();
        assertThat(log.reopen(null).log.endOffset()).isZero();
    }

    private static SegmentDeletion requireDeletion(LogFixture log) {
        SegmentDeletion deletion = log.log.beginRetention(Long.MAX_VALUE);
        assertThat(deletion).isNotNull();
        return deletion;
    }

    private static void append(LogFixture log, long timestamp, String value) {
        ByteBuffer batch = new BatchBuilder().add(LogRecord.of(timestamp, "k", value)).build();
        log.append(batch);
    }
}
