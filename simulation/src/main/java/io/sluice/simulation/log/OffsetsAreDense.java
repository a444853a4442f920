package io.sluice.simulation.log;

import io.sluice.log.PartitionLog;
import io.sluice.record.RecordBatch;
import java.util.List;

/// Without compaction, every batch begins where the one before it ended, in one answer and over the whole log; a gap begins with damage.
record OffsetsAreDense(LogModel model) implements LogInvariant {
    @Override
    public void appended(ModelBatch batch) {
        require(
                batch.baseOffset() == model.end(),
                batch + " was appended to a log that ended at " + model.end());
    }

    @Override
    public void served(long fromOffset, List<RecordBatch> batches) {
        require(
                batches.getFirst().baseOffset() <= fromOffset
                        && batches.getFirst().nextOffset() > fromOffset,
                "asked for " + fromOffset + ", got " + batches.getFirst());
        for (int i = 1; i < batches.size(); i++) {
            require(
                    batches.get(i).baseOffset() == batches.get(i - 1).nextOffset(),
                    batches.get(i) + " follows " + batches.get(i - 1));
        }
    }

    @Override
    public void audited(PartitionLog log, List<RecordBatch> batches) {
        long next = log.startOffset();
        for (RecordBatch batch : batches) {
            require(
                    batch.nextOffset() > next
                            && (batch.baseOffset() <= next || model.isDamaged(log, next)),
                    batch + " is what can be read at " + next);
            next = batch.nextOffset();
        }
        require(
                next == log.endOffset() || model.isDamaged(log, next),
                "reading ends at " + next + " of " + log);
    }
}
