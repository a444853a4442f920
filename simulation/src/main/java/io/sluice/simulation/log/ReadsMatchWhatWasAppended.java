package io.sluice.simulation.log;

import io.sluice.log.PartitionLog;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.util.List;

/// Every batch that is served is, byte for byte, the one that was appended at its offset; nothing is made up.
///
/// @param compacted a batch may have lost records, but those that are left are as they were
record ReadsMatchWhatWasAppended(LogModel model, boolean compacted) implements LogInvariant {
    @Override
    public void served(long fromOffset, List<RecordBatch> batches) {
        for (RecordBatch batch : batches) {
            ModelBatch expected = model.at(batch.baseOffset());
            require(
                    expected != null
                            && (expected.bytes().equals(batch.bytes())
                                    || (compacted && isRestOf(batch, expected))),
                    batch + " was served where " + expected + " was appended");
        }
    }

    private static boolean isRestOf(RecordBatch batch, ModelBatch expected) {
        RecordBatch whole = expected.header();
        return batch.lastOffset() == whole.lastOffset()
                && batch.leaderEpoch() == whole.leaderEpoch()
                && batch.producerId() == whole.producerId()
                && batch.producerEpoch() == whole.producerEpoch()
                && batch.baseSequence() == whole.baseSequence()
                && expected.records().containsAll(RecordReader.readAll(batch));
    }

    @Override
    public void reopened(PartitionLog log) {
        require(
                log.endOffset() <= model.end(),
                log + " was opened, but nothing was ever appended behind " + model.end());
        require(
                model.isBoundary(log.endOffset()),
                log + " ends in the middle of " + model.holding(log.endOffset() - 1));
    }
}
