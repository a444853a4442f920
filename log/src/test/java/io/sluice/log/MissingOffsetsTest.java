package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.DiskFile;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.segment.SegmentFacts;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q8: a log knows what it has lost, and what lies behind that")
final class MissingOffsetsTest {
    private final LogFixture before =
            new LogFixture(TopicSettings.defaults().withSegments(1000, 150));
    private RecoveryPoint known = RecoveryPoint.NOTHING;
    private List<SegmentFacts> segments = List.of();

    @BeforeEach
    void fill() {
        for (int i = 0; i < 60; i++) {
            before.append("value-" + i);
        }
        before.flush();
        known = before.log.recoveryPoint();
        segments = before.log.segments();
        assertThat(segments).hasSizeGreaterThan(3);
    }

    private PartitionLog reopened() {
        return before.reopen(known).log;
    }

    private long base(int fromTheEnd) {
        return segments.get(segments.size() - 1 - fromTheEnd).baseOffset();
    }

    private void lose(long base) {
        before.disk.delete(before.logFile(base));
    }

    @Test
    void aWholeLogMissesNothing() {
        PartitionLog log = reopened();
        assertThat(log.firstMissing()).isEqualTo(PartitionLog.WHOLE);
        assertThat(log.presentEnd()).isEqualTo(60);
    }

    @Test
    void behindALostSegmentIsTheRest() {
        lose(base(1));
        PartitionLog log = reopened();
        assertThat(log.firstMissing()).isEqualTo(base(1));
        assertThat(log.presentEnd()).isEqualTo(60);
    }

    @Test
    void behindALostEndIsNothing() {
        lose(base(0));
        PartitionLog log = reopened();
        assertThat(log.firstMissing()).isEqualTo(base(0));
        assertThat(log.presentEnd()).isEqualTo(base(0));
        assertThat(log.endOffset()).isEqualTo(60);
    }

    @Test
    void whatLiesBetweenTwoGapsIsThere() {
        lose(base(0));
        lose(base(2));
        PartitionLog log = reopened();
        assertThat(log.firstMissing()).isEqualTo(base(2));
        assertThat(log.presentEnd()).isEqualTo(base(0));
    }

    @Test
    void aFileThatIsTooShortHasNothingBehindItsEnd() {
        try (DiskFile file = before.disk.open(before.logFile(base(0)))) {
            file.truncate(file.size() / 2);
        }
        PartitionLog log = reopened();
        assertThat(log.firstMissing()).isBetween(base(0), 59L);
        assertThat(log.presentEnd()).isEqualTo(log.firstMissing());
        assertThat(log.endOffset()).isEqualTo(60);
    }

    @Test
    void ofADeletedFolderNothingIsLeft() {
        for (SegmentFacts segment : segments) {
            lose(segment.baseOffset());
        }
        PartitionLog log = reopened();
        assertThat(log.firstMissing()).isZero();
        assertThat(log.presentEnd()).isZero();
        assertThat(log.endOffset()).isEqualTo(60);
    }

    /// Otherwise it would seem to have everything that the lost ones had.
    @Test
    void whatIsCopiedAnewBeginsEmptyThoughIndexesOfLostSegmentsAreThere() {
        for (SegmentFacts segment : segments) {
            lose(segment.baseOffset());
        }
        PartitionLog anew = reopened().truncateTo(0).log();
        assertThat(anew.endOffset()).isZero();
        assertThat(anew.firstMissing()).isEqualTo(PartitionLog.WHOLE);
    }
}
