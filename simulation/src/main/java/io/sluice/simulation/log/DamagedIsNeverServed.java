package io.sluice.simulation.log;

import io.sluice.log.PartitionLog;
import io.sluice.log.ReadResult;
import io.sluice.record.RecordBatch;
import java.util.List;

/// Bytes that were damaged at rest do not reach a reader, and nothing else is refused as damaged.
record DamagedIsNeverServed(LogModel model) implements LogInvariant {
    @Override
    public void served(long fromOffset, List<RecordBatch> batches) {
        for (RecordBatch batch : batches) {
            require(batch.checksumHolds(), batch + " was served, but its checksum does not hold");
        }
    }

    @Override
    public void refused(PartitionLog log, long fromOffset, ReadResult.Damaged answer) {
        require(
                model.isDamaged(log, fromOffset),
                "offset " + fromOffset + " is sound, but was refused: " + answer);
    }
}
