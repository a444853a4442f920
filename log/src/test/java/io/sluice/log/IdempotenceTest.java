package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.AppendResult.Appended;
import io.sluice.log.AppendResult.Duplicate;
import io.sluice.log.AppendResult.DuplicateOfOld;
import io.sluice.log.AppendResult.Reason;
import io.sluice.log.AppendResult.Rejected;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q6: an idempotent producer's retry is not appended twice")
final class IdempotenceTest {
    private final LogFixture log = new LogFixture(TopicSettings.defaults().withSegments(2000, 300));

    @Test
    void repeatedBatchIsAnsweredWithItsFirstOffsets() {
        append(1, 0, 0, 3);
        append(1, 0, 3, 2);
        assertThat(send(1, 0, 0, 3)).isEqualTo(new Duplicate(0, 3, -1, 0));
        assertThat(send(1, 0, 3, 2)).isEqualTo(new Duplicate(3, 5, -1, 0));
        assertThat(log.log.endOffset()).isEqualTo(5);
    }

    @Test
    void gapIsRefused() {
        append(1, 0, 0, 3);
        assertThat(reason(send(1, 0, 4, 1))).isEqualTo(Reason.OUT_OF_ORDER_SEQUENCE);
        append(1, 0, 3, 1);
    }

    @Test
    void lastFiveBatchesAreRemembered() {
        for (int i = 0; i < 10; i++) {
            append(1, 0, i * 2, 2);
        }
        for (int i = 5; i < 10; i++) {
            assertThat(send(1, 0, i * 2, 2)).isEqualTo(new Duplicate(i * 2L, i * 2L + 2, -1, 0));
        }
        assertThat(send(1, 0, 8, 2))
                .isInstanceOfSatisfying(
                        DuplicateOfOld.class,
                        old -> assertThat(old.nextOffset()).as("the oldest known").isEqualTo(10));
        assertThat(reason(send(1, 0, 9, 2))).isEqualTo(Reason.OUT_OF_ORDER_SEQUENCE);
    }

    @Test
    void producerWhoseBatchesRetentionHasTakenGoesOn() {
        append(1, 0, 0, 1);
        log.log.roll();
        log.flush();
        append(1, 0, 1, 1);
        log.log.roll();
        log.flush();
        append(2, 0, 0, 1);
        log.flush();
        CrashDisk disk = log.disk.copy();
        disk.delete(log.logFile(0));
        disk.delete(log.indexFile(0));
        disk.delete(log.logFile(1));
        disk.delete(log.indexFile(1));
        disk.delete(LogFixture.FOLDER + "/00000000000000000002.snapshot");
        LogFixture after = new LogFixture(disk, log.settings, null);
        assertThat(after.log.startOffset()).isEqualTo(2);
        assertThat(after.log.append(batch(1, 0, 2, 1), 0)).isInstanceOf(Appended.class);
    }

    @Test
    void sequencesWrapAround() {
        append(1, 0, Integer.MAX_VALUE - 1, 1);
        append(1, 0, Integer.MAX_VALUE, 2);
        append(1, 0, 1, 3);
        assertThat(send(1, 0, Integer.MAX_VALUE, 2)).isEqualTo(new Duplicate(1, 3, -1, 0));
        assertThat(reason(send(1, 0, 3, 1))).isEqualTo(Reason.OUT_OF_ORDER_SEQUENCE);
        append(1, 0, 4, 1);
    }

    @Test
    void newEpochBeginsAtZeroAndFencesTheOld() {
        append(1, 0, 0, 3);
        assertThat(reason(send(1, 1, 3, 1))).isEqualTo(Reason.OUT_OF_ORDER_SEQUENCE);
        append(1, 1, 0, 1);
        assertThat(reason(send(1, 0, 3, 1))).isEqualTo(Reason.STALE_PRODUCER_EPOCH);
        append(1, 1, 1, 1);
    }

    @Test
    @DisplayName("KIP-360: a producer that is not known any more goes on where it is")
    void unknownProducerMayGoOn() {
        append(1, 3, 17, 1);
        append(1, 3, 18, 1);
        // Nothing before 17 was ever seen, so this is a gap and no repetition.
        assertThat(reason(send(1, 3, 16, 1))).isEqualTo(Reason.OUT_OF_ORDER_SEQUENCE);
    }

    @Test
    void producersDoNotDisturbEachOther() {
        for (int i = 0; i < 10; i++) {
            append(1, 0, i, 1);
            append(2, 5, i, 1);
            log.append("plain");
        }
        assertThat(send(1, 0, 9, 1)).isEqualTo(new Duplicate(27, 28, -1, 0));
        assertThat(log.log.producers()).hasSize(2);
    }

    @Test
    void idleProducersAreForgotten() {
        append(1, 0, 0, 1);
        log.clock.advance(Duration.ofHours(12));
        append(2, 0, 0, 1);
        log.clock.advance(Duration.ofHours(13));
        assertThat(log.log.expireProducers(Duration.ofDays(1).toMillis())).isEqualTo(1);
        assertThat(log.log.producers()).extracting(p -> p.producerId()).containsExactly(2L);
        append(1, 0, 8, 1);
    }

    @Test
    void batchesSentTogetherMustFollowEachOther() {
        ByteBuffer good = PartitionLogTest.concat(batch(1, 0, 0, 2), batch(1, 0, 2, 1));
        assertThat(log.log.append(good, 0)).isEqualTo(new Appended(0, 3, -1, 0));
        assertThat(log.log.append(PartitionLogTest.concat(batch(1, 0, 0, 2), batch(1, 0, 2, 1)), 0))
                .isEqualTo(new Duplicate(0, 3, -1, 0));
        assertThat(
                        reason(
                                log.log.append(
                                        PartitionLogTest.concat(
                                                batch(1, 0, 3, 2), batch(1, 0, 6, 1)),
                                        0)))
                .isEqualTo(Reason.OUT_OF_ORDER_SEQUENCE);
        assertThat(
                        reason(
                                log.log.append(
                                        PartitionLogTest.concat(
                                                batch(1, 0, 2, 1), batch(1, 0, 3, 1)),
                                        0)))
                .isEqualTo(Reason.OUT_OF_ORDER_SEQUENCE);
        assertThat(
                        reason(
                                log.log.append(
                                        PartitionLogTest.concat(
                                                batch(1, 0, 3, 1), batch(2, 0, 0, 1)),
                                        0)))
                .isEqualTo(Reason.INVALID_RECORD);
        assertThat(log.log.endOffset()).isEqualTo(3);
    }

    @Test
    void refusedAppendLeavesTheLedgerAlone() {
        append(1, 0, 0, 1);
        log.disk.capacity = log.disk.usedBytes() + 10;
        assertThat(reason(send(1, 0, 1, 1))).isEqualTo(Reason.DISK_FULL);
        log.disk.capacity = 1 << 30;
        assertThat(send(1, 0, 1, 1)).isEqualTo(new Appended(1, 2, -1, 0));
    }

    @Test
    void everyWayOfOpeningAgainKnowsTheProducers() {
        for (int i = 0; i < 60; i++) {
            append(1 + i % 3, 0, i / 3 * 2, 2);
            if (i == 30) {
                log.flush();
            }
        }
        RecoveryPoint point = log.log.recoveryPoint();
        List<Object> expected = List.copyOf(states(log));
        assertThat(states(log.reopen(null))).isEqualTo(expected);
        assertThat(states(log.reopen(point))).isEqualTo(expected);
        log.flush();
        LogFixture noSnapshots = log.reopen(null);
        for (String path : noSnapshots.disk.paths()) {
            if (path.endsWith(".snapshot")) {
                noSnapshots.disk.flipBit(path, 30);
            }
        }
        assertThat(states(noSnapshots.reopen(null))).isEqualTo(expected);
        RecoveryPoint clean = log.log.beginClose().run();
        LogFixture reopened = log.reopen(clean);
        assertThat(states(reopened)).isEqualTo(expected);
        assertThat(reopened.log.append(batch(1, 0, 38, 2), 0)).isInstanceOf(Duplicate.class);
        assertThat(reopened.log.append(batch(1, 0, 40, 2), 0)).isInstanceOf(Appended.class);
    }

    /// Without the times, which replay cannot know.
    private static List<Object> states(LogFixture log) {
        return log.log.producers().stream()
                .<Object>map(
                        p -> List.of(p.producerId(), p.epoch(), p.startSequence(), p.batches()))
                .toList();
    }

    private void append(long producer, int epoch, int sequence, int records) {
        assertThat(send(producer, epoch, sequence, records)).isInstanceOf(Appended.class);
    }

    private AppendResult send(long producer, int epoch, int sequence, int records) {
        return log.log.append(batch(producer, epoch, sequence, records), 0);
    }

    static ByteBuffer batch(long producer, int epoch, int sequence, int records) {
        BatchBuilder builder = new BatchBuilder().producer(producer, (short) epoch, sequence);
        for (int i = 0; i < records; i++) {
            builder.add(LogRecord.of(ManualClock.START_MILLIS, "k", "v" + (sequence + i)));
        }
        return builder.build();
    }

    private static Reason reason(AppendResult result) {
        assertThat(result).isInstanceOf(Rejected.class);
        return ((Rejected) result).reason();
    }
}
