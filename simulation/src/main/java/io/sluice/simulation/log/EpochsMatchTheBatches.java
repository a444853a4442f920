package io.sluice.simulation.log;

import io.sluice.log.PartitionLog;
import io.sluice.record.RecordBatch;
import java.util.List;

/// The log's table of leader epochs says for every batch what the batch says itself.
record EpochsMatchTheBatches(LogModel model) implements LogInvariant {
    @Override
    public void audited(PartitionLog log, List<RecordBatch> batches) {
        for (RecordBatch batch : batches) {
            if (batch.baseOffset() >= model.highestStart()
                    && !model.isDamaged(log, batch.baseOffset())) {
                int epoch = log.leaderEpochs().epochAt(batch.baseOffset());
                require(
                        epoch == batch.leaderEpoch(),
                        batch + " is in epoch " + epoch + " of " + log.leaderEpochs().entries());
            }
        }
    }
}
