package io.sluice.simulation.cluster;

import io.sluice.record.RecordBatch;

/// Hears what clients experience. Owned by its run.
public interface Witness {
    /// For the first time, or again.
    void sent(History.Sent batch);

    void acked(History.Sent batch, long baseOffset, int records);

    /// A reader got this batch, which must be committed then.
    void read(PartitionLife partition, RecordBatch batch, String reader);

    /// A leader told a reader how far the partition is committed.
    void watermark(PartitionLife partition, int leaderEpoch, long highWatermark, String reader);
}
