package io.sluice.simulation.log;

import io.sluice.log.PartitionLog;
import io.sluice.log.ReadResult;
import io.sluice.record.RecordBatch;
import java.util.List;

/// Bytes that were damaged at rest do not reach a reader, and nothing else is refused as damaged.
///
/// @param compacted what lies in front of a damage may be gone, so that it is the first thing that a reader comes to
record DamagedIsNeverServed(LogModel model, boolean compacted) implements LogInvariant {
    @Override
    public void served(long fromOffset, List<RecordBatch> batches) {
        for (RecordBatch batch : batches) {
            require(batch.checksumHolds(), batch + " was served, but its checksum does not hold");
        }
    }

    @Override
    public void refused(PartitionLog log, long fromOffset, ReadResult.Damaged answer) {
        require(
                model.isDamaged(log, fromOffset)
                        || (compacted && model.hasDamagedFile(log, fromOffset, answer.file())),
                "offset " + fromOffset + " is sound, but was refused: " + answer);
    }
}
