package io.sluice.simulation.log;

import io.sluice.log.PartitionLog;
import io.sluice.log.ReadResult;
import io.sluice.record.RecordBatch;
import io.sluice.simulation.InvariantBroken;
import java.util.List;

/// Something that must be true of a log whatever happens. Told of everything that can be seen of the log, and throws [InvariantBroken].
///
/// Owned by its run.
interface LogInvariant {
    /// After every event of the world, while the log is open.
    default void afterEvent(PartitionLog log) {}

    /// A batch has been appended, and is not in the model yet.
    default void appended(ModelBatch batch) {}

    /// A read was answered with these batches.
    default void served(long fromOffset, List<RecordBatch> batches) {}

    /// A read was refused because of damage.
    default void refused(PartitionLog log, long fromOffset, ReadResult.Damaged answer) {}

    /// Retention has moved the log's start; the model still has the old one.
    default void retained(PartitionLog log) {}

    /// The log has been opened again; the model still has what was known before.
    default void reopened(PartitionLog log) {}

    /// Everything that can be read, from the start to the end.
    default void audited(PartitionLog log, List<RecordBatch> batches) {}

    default InvariantBroken broken(String what) {
        return new InvariantBroken(getClass().getSimpleName(), what);
    }

    default void require(boolean holds, String what) {
        if (!holds) {
            throw broken(what);
        }
    }
}
