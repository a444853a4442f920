package io.sluice.simulation.log;

import io.sluice.log.PartitionLog;
import io.sluice.record.RecordBatch;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// A batch that an idempotent producer sends again is in the log once, before and after crashes.
record NoDuplicateSequence(LogModel model) implements LogInvariant {
    private record Sequence(long producerId, short epoch, int sequence) {}

    @Override
    public void appended(ModelBatch batch) {
        ModelBatch earlier = model.withSequenceOf(batch.header());
        require(
                earlier == null || model.hasDamage(),
                batch + " was appended although the log has " + earlier);
    }

    @Override
    public void audited(PartitionLog log, List<RecordBatch> batches) {
        Set<Sequence> seen = new HashSet<>();
        for (RecordBatch batch : batches) {
            if (batch.hasProducerId() && !model.hasDamage()) {
                require(
                        seen.add(
                                new Sequence(
                                        batch.producerId(),
                                        batch.producerEpoch(),
                                        batch.baseSequence())),
                        batch + " is in the log twice");
            }
        }
    }
}
