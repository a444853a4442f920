package io.sluice.simulation.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.log.AppendResult;
import io.sluice.log.PartitionLog;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.record.BatchBuilder;
import io.sluice.record.RecordBatch;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.SimWorld;
import io.sluice.simulation.disk.SimDisk;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// How much a damage excuses: what lies behind it in its own segment, and nothing else.
class LogModelTest {
    private final SimWorld world = new SimWorld(1);
    private final LogModel model = new LogModel();
    private final OffsetsAreDense dense = new OffsetsAreDense(model);
    private final AcknowledgedIsNeverLost kept = new AcknowledgedIsNeverLost(model, false);
    private PartitionLog log;
    private SegmentFacts second;
    private SegmentFacts third;

    @BeforeEach
    void fillSomeSegments() {
        SimDisk disk = new SimDisk(world.entropy("disk"), world.trace());
        disk.createDirectory(LogShard.PARENT);
        log =
                PartitionLog.open(
                                new LogFolder(disk, LogShard.DIRECTORY),
                                world.clock(),
                                SimSettings.keepingAll(SimSettings.draw(world.entropy("topic"))),
                                null)
                        .log();
        while (log.segments().size() < 5) {
            ByteBuffer batch =
                    new BatchBuilder()
                            .add(world.clock().wallMillis(), null, ByteBuffer.allocate(500))
                            .build();
            assertThat(log.append(batch, 1)).isInstanceOf(AppendResult.Appended.class);
            model.appended(ModelBatch.copyOf(RecordBatch.at(batch, 0).bytes()));
        }
        model.acknowledged(log.endOffset());
        second = log.segments().get(1);
        third = log.segments().get(2);
    }

    /// As if a reader had got everything but `[from, to)`.
    private List<RecordBatch> allBut(long from, long to) {
        return model.batches().stream()
                .map(ModelBatch::header)
                .filter(batch -> batch.baseOffset() < from || batch.baseOffset() >= to)
                .toList();
    }

    private void audit(long missingFrom, long missingTo) {
        List<RecordBatch> read = allBut(missingFrom, missingTo);
        dense.audited(log, read);
        kept.audited(log, read);
    }

    @Test
    void withoutDamageNothingMayBeMissing() {
        assertThatCode(() -> audit(0, 0)).doesNotThrowAnyException();
        assertThatThrownBy(() -> audit(third.baseOffset(), third.endOffset()))
                .isInstanceOf(InvariantBroken.class);
    }

    @Test
    void whatLiesBehindADamageInItsSegmentMayBeMissing() {
        model.damaged(third.baseOffset() + 1);
        assertThatCode(() -> audit(third.baseOffset() + 1, third.endOffset()))
                .doesNotThrowAnyException();
    }

    @Test
    void whatLiesBeforeADamageMayNot() {
        model.damaged(third.baseOffset() + 1);
        assertThatThrownBy(() -> audit(third.baseOffset(), third.endOffset()))
                .isInstanceOf(InvariantBroken.class);
    }

    @Test
    void anotherSegmentMayNotEitherWhetherItWasAcknowledgedOrNot() {
        model.damaged(third.baseOffset() + 1);
        List<RecordBatch> read = allBut(second.baseOffset(), second.endOffset());
        assertThatThrownBy(() -> dense.audited(log, read)).isInstanceOf(InvariantBroken.class);
        assertThatThrownBy(() -> kept.audited(log, read)).isInstanceOf(InvariantBroken.class);
    }

    @Test
    void theEndMayNotBeMissingBecauseOfADamageElsewhere() {
        model.damaged(third.baseOffset() + 1);
        assertThatThrownBy(() -> dense.audited(log, allBut(log.endOffset() - 1, log.endOffset())))
                .isInstanceOf(InvariantBroken.class);
    }

    /// A segment that is gone as a whole is excused by the damage that it had, not by that of another.
    @Test
    void whatIsInNoSegmentIsNotExcusedByADamageElsewhere() {
        model.damaged(third.baseOffset() + 1);
        assertThat(model.isDamaged(log, log.endOffset() + 1)).isFalse();
        model.damaged(log.endOffset());
        assertThat(model.isDamaged(log, log.endOffset() + 1)).isTrue();
    }
}
