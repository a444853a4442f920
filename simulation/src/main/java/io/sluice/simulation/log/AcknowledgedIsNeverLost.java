package io.sluice.simulation.log;

import io.sluice.log.PartitionLog;
import io.sluice.record.RecordBatch;
import java.util.List;

/// What the log once called durable is there after every crash, and can be read.
///
/// @param compacted which batches may be gone is the matter of [CompactionKeepsTheLatest]
record AcknowledgedIsNeverLost(LogModel model, boolean compacted) implements LogInvariant {
    @Override
    public void reopened(PartitionLog log) {
        require(
                log.endOffset() >= model.surelyKept(),
                log
                        + " was opened, but offsets below "
                        + model.surelyKept()
                        + " were acknowledged");
    }

    @Override
    public void audited(PartitionLog log, List<RecordBatch> batches) {
        if (compacted) {
            return;
        }
        int next = 0;
        for (ModelBatch expected : model.batches()) {
            if (expected.nextOffset() <= log.startOffset()
                    || expected.nextOffset() > model.acknowledged()
                    || model.isDamaged(log, expected.baseOffset())) {
                continue;
            }
            while (next < batches.size()
                    && batches.get(next).baseOffset() < expected.baseOffset()) {
                next++;
            }
            require(
                    next < batches.size()
                            && batches.get(next).baseOffset() == expected.baseOffset(),
                    expected + " was acknowledged and cannot be read from " + log);
        }
    }
}
