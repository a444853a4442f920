package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.DiskException;
import io.sluice.log.AppendResult.Reason;
import io.sluice.log.AppendResult.Rejected;
import io.sluice.log.segment.SegmentFacts;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q8: a full or failing disk refuses, and never loses or invents a record")
final class DiskFailureTest {
    private static final TopicSettings SMALL = TopicSettings.defaults().withSegments(1000, 150);

    @Test
    void fullDiskRefusesAndGoesOnWhenThereIsRoom() {
        for (int room = 0; room < 600; room += 7) {
            LogFixture log = new LogFixture(SMALL);
            RecoveryTest.fill(log, 0, 5);
            log.flush();
            log.disk.capacity = log.disk.usedBytes() + room;
            int accepted = 0;
            while (true) {
                AppendResult result =
                        log.log.append(LogFixture.batch("value-" + (5 + accepted)), 0);
                if (result instanceof Rejected rejected) {
                    assertThat(rejected.reason()).isEqualTo(Reason.DISK_FULL);
                    break;
                }
                accepted++;
            }
            assertThat(log.log.offline()).isNull();
            assertThat(log.values()).isEqualTo(RecoveryTest.names(0, 5 + accepted));
            assertThat(log.reopen(null).values()).isEqualTo(RecoveryTest.names(0, 5 + accepted));
            log.disk.capacity = 1 << 30;
            RecoveryTest.fill(log, 5 + accepted, 3);
            log.flush();
            assertThat(log.log.durableOffset()).isEqualTo(8 + accepted);
            log.disk.crash();
            assertThat(log.reopen(null).values()).isEqualTo(RecoveryTest.names(0, 8 + accepted));
        }
    }

    @Test
    void halfOfARefusedCallDoesNotComeBack() {
        LogFixture log = new LogFixture();
        log.append("a");
        int size = LogFixture.batch("b").remaining();
        log.disk.capacity = log.disk.usedBytes() + size + 10;
        ByteBuffer two = PartitionLogTest.concat(LogFixture.batch("b"), LogFixture.batch("c"));
        assertThat(log.log.append(two, 0)).isInstanceOf(Rejected.class);
        assertThat(log.reopen(null).values()).containsExactly("a");
    }

    /// A leader found no room for its first batch, then followed one of an earlier epoch: after a crash its committed batches were cut as unfinished (seed 2566 of the simulated cluster).
    @Test
    void theEpochOfARefusedBatchIsForgotten() {
        LogFixture log = new LogFixture();
        log.append("a");
        log.flush();
        log.disk.capacity = log.disk.usedBytes();
        assertThat(log.log.append(LogFixture.batch("refused"), 2)).isInstanceOf(Rejected.class);
        log.disk.capacity = 1 << 30;
        assertThat(log.log.append(LogFixture.batch("b"), 1))
                .isInstanceOf(AppendResult.Appended.class);
        log.flush();
        log.disk.crash();
        assertThat(log.reopen(null).values()).containsExactly("a", "b");
    }

    @Test
    void segmentIsSealedLaterWhenItsIndexFoundNoRoom() {
        LogFixture log = new LogFixture(SMALL);
        RecoveryTest.fill(log, 0, 15);
        log.disk.capacity = log.disk.usedBytes();
        log.flush();
        assertThat(log.log.offline()).isNull();
        assertThat(log.log.durableOffset()).isEqualTo(15);
        assertThat(log.log.segments().getFirst().sealed()).isFalse();
        // Nothing to do again and again while the disk stays full.
        assertThat(log.log.beginFlush()).isNull();
        assertThat(log.reopen(log.log.recoveryPoint()).values())
                .isEqualTo(RecoveryTest.names(0, 15));
        log.disk.capacity = 1 << 30;
        log.append("value-15");
        log.flush();
        List<SegmentFacts> segments = log.log.segments();
        assertThat(segments.getFirst().sealed()).isTrue();
        assertThat(log.values()).isEqualTo(RecoveryTest.names(0, 16));
    }

    @Test
    void failedFlushLetsGoOfItsFiles() {
        for (String failing : List.of(".index.tmp", ".log", ".snapshot.tmp")) {
            LogFixture log = new LogFixture(SMALL);
            RecoveryTest.fill(log, 0, 40);
            log.disk.failForceOf = failing;
            log.flush();
            assertThat(log.log.offline()).as(failing).isNotNull();
            log.log.abandon();
            assertThat(log.disk.openHandles).as(failing).isZero();
        }
    }

    @Test
    void failedCloseLetsGoOfItsFiles() {
        for (String failing : List.of(".index.tmp", ".log", ".snapshot.tmp")) {
            LogFixture log = new LogFixture(SMALL);
            RecoveryTest.fill(log, 0, 40);
            log.disk.failForceOf = failing;
            LogClosing closing = log.log.beginClose();
            assertThatThrownBy(closing::run).isInstanceOf(DiskException.class);
            assertThat(log.disk.openHandles).as(failing).isZero();
        }
    }

    @Test
    void failedWriteTakesTheLogOffline() {
        LogFixture log = new LogFixture();
        log.append("a");
        log.flush();
        log.disk.failWriteTo = ".log";
        assertThat(((Rejected) log.log.append(LogFixture.batch("b"), 0)).reason())
                .isEqualTo(Reason.OFFLINE);
        assertThat(log.log.offline()).isNotNull();
        assertThat(log.values()).containsExactly("a");
        LogFixture again = log.reopen(log.log.recoveryPoint());
        again.append("b");
        assertThat(again.values()).containsExactly("a", "b");
    }

    @Test
    void failedForceOfAFullSegmentTakesTheLogOffline() {
        LogFixture log = new LogFixture(SMALL);
        RecoveryTest.fill(log, 0, 5);
        log.flush();
        RecoveryTest.fill(log, 5, 20);
        log.disk.failForceOf = "00.log";
        log.flush();
        assertThat(log.log.offline()).isNotNull();
        assertThat(log.log.durableOffset()).isEqualTo(5);
        assertThat(log.log.segments()).noneMatch(SegmentFacts::sealed);
    }

    @Test
    void noFileHandleLeaksWhenAFlushFails() {
        LogFixture log = new LogFixture();
        log.append("a");
        log.disk.failForceOf = ".log";
        log.flush();
        log.log.abandon();
        assertThat(log.disk.openHandles).isZero();
    }
}
