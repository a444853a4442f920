package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.AppendResult.Appended;
import io.sluice.log.AppendResult.Reason;
import io.sluice.log.AppendResult.Rejected;
import io.sluice.log.PartitionLog.Opened;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.log.state.LeaderEpochs.End;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q22: a follower's log is its leader's, and is cut where it differs")
final class FollowerTest {
    /// Compacted, so that the leader's log may have gaps.
    private final LogFixture log =
            new LogFixture(
                    BatchValidationTest.settings("cleanup.policy", "compact")
                            .withSegments(1000, 200));

    @Test
    void offsetsAndEpochsAreKept() {
        assertThat(follow(5, 2, "a", "b")).isEqualTo(new Appended(5, 7, -1, 0));
        assertThat(follow(9, 4, "c")).isEqualTo(new Appended(9, 10, -1, 0));
        assertThat(log.log.endOffset()).isEqualTo(10);
        assertThat(log.valuesFrom(0)).containsExactly("a", "b", "c");
        assertThat(log.valuesFrom(7)).containsExactly("c");
        assertThat(log.log.leaderEpochs().entries())
                .containsExactly(new LeaderEpochs.Entry(2, 5), new LeaderEpochs.Entry(4, 9));
        LogFixture again = log.reopen(null);
        assertThat(again.valuesFrom(0)).containsExactly("a", "b", "c");
        assertThat(again.log.leaderEpochs().entries()).isEqualTo(log.log.leaderEpochs().entries());
    }

    @Test
    void gapInALogThatIsNotCompactedIsRefused() {
        LogFixture plain = new LogFixture();
        plain.append("a");
        ByteBuffer bytes =
                new BatchBuilder()
                        .baseOffset(2)
                        .leaderEpoch(0)
                        .add(LogRecord.of(ManualClock.START_MILLIS, "k", "v"))
                        .build();
        assertThat(((Rejected) plain.log.appendAsFollower(bytes)).reason())
                .isEqualTo(Reason.OFFSETS_DO_NOT_CONTINUE);
    }

    @Test
    void gapsSurviveTheEndOfCompaction() {
        follow(5, 2, "a", "b");
        follow(9, 4, "c");
        TopicSettings plain = TopicSettings.defaults();
        log.log.changeSettings(plain);
        log.flush();
        log.append("d");
        LogFixture again = new LogFixture(log.disk.copy(), plain, log.log.recoveryPoint());
        assertThat(again.report.damages()).isEmpty();
        assertThat(again.values()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void whatDoesNotContinueTheLogIsRefused() {
        follow(5, 2, "a", "b");
        assertThat(((Rejected) follow(6, 2, "x")).reason())
                .isEqualTo(Reason.OFFSETS_DO_NOT_CONTINUE);
        assertThat(((Rejected) follow(7, 1, "x")).reason())
                .isEqualTo(Reason.OFFSETS_DO_NOT_CONTINUE);
        follow(7, 2, "c");
    }

    @Test
    @DisplayName("KIP-101: the end of an epoch is the start of the next one")
    void endOfAnEpochIsKnown() {
        LeaderEpochs epochs = new LeaderEpochs(List.of());
        assertThat(epochs.endOf(0, 100)).isEqualTo(End.UNKNOWN);
        epochs.note(2, 10);
        epochs.note(2, 15);
        epochs.note(5, 20);
        epochs.note(6, 30);
        assertThat(epochs.endOf(6, 100)).isEqualTo(new End(6, 100));
        assertThat(epochs.endOf(5, 100)).isEqualTo(new End(5, 30));
        assertThat(epochs.endOf(4, 100)).isEqualTo(new End(2, 20));
        assertThat(epochs.endOf(2, 100)).isEqualTo(new End(2, 20));
        assertThat(epochs.endOf(1, 100)).isEqualTo(new End(1, 10));
        assertThat(epochs.endOf(7, 100)).isEqualTo(End.UNKNOWN);
        assertThat(epochs.endOf(-1, 100)).isEqualTo(End.UNKNOWN);
        assertThat(epochs.epochAt(9)).isEqualTo(-1);
        assertThat(epochs.epochAt(19)).isEqualTo(2);
        epochs.cutStart(25);
        assertThat(epochs.entries())
                .containsExactly(new LeaderEpochs.Entry(5, 25), new LeaderEpochs.Entry(6, 30));
        epochs.cutEnd(30);
        assertThat(epochs.latest()).isEqualTo(5);
    }

    @Test
    void everyCutLeavesWholeBatchesAndTheStateThatBelongsToThem() {
        for (int target = 0; target <= 40; target++) {
            LogFixture whole = new LogFixture(log.settings);
            for (int i = 0; i < 20; i++) {
                whole.log.append(IdempotenceTest.batch(1, 0, i * 2, 2), i / 5);
                if (i == 12) {
                    whole.flush();
                }
            }
            whole.flush();
            Opened opened = whole.log.truncateTo(target);
            int batches = target / 2;
            PartitionLog cut = opened.log();
            assertThat(cut.endOffset()).as("target %d", target).isEqualTo(batches * 2L);
            assertThat(cut.durableOffset()).isEqualTo(batches * 2L);
            assertThat(opened.report().damages()).isEmpty();
            assertThat(cut.leaderEpochs().latest())
                    .isEqualTo(batches == 0 ? -1 : (batches - 1) / 5);
            whole.log = cut;
            assertThat(whole.values()).hasSize(batches * 2);
            assertThat(cut.append(IdempotenceTest.batch(1, 0, batches * 2, 2), 9))
                    .isInstanceOf(Appended.class);
            whole.flush();
            whole.disk.crash();
            LogFixture again = whole.reopen(cut.recoveryPoint());
            assertThat(again.log.endOffset()).isEqualTo(batches * 2L + 2);
            assertThat(again.report.damages()).isEmpty();
            assertThat(again.log.producers()).hasSize(1);
            assertThat(again.log.producers().getFirst().lastSequence()).isEqualTo(batches * 2 + 1);
            assertThat(again.values()).hasSize(batches * 2 + 2);
        }
    }

    @Test
    void logCanBeginAnewAtAnyOffset() {
        RecoveryTest.fill(log, 0, 30);
        log.flush();
        log.log = log.log.restartAt(1000).log();
        assertThat(log.log.startOffset()).isEqualTo(1000);
        assertThat(log.append("x").baseOffset()).isEqualTo(1000);
        log.flush();
        log.disk.crash();
        assertThat(log.reopen(null).values()).containsExactly("x");
    }

    private AppendResult follow(long baseOffset, int epoch, String... values) {
        BatchBuilder builder = new BatchBuilder().baseOffset(baseOffset).leaderEpoch(epoch);
        for (String value : values) {
            builder.add(LogRecord.of(ManualClock.START_MILLIS, "k", value));
        }
        ByteBuffer bytes = builder.build();
        return log.log.appendAsFollower(bytes);
    }
}
