package io.sluice.simulation.log;

import io.sluice.env.Clock;
import io.sluice.log.PartitionLog;
import io.sluice.log.ReadResult;
import io.sluice.log.TopicSettings;
import io.sluice.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;

/// Tells the invariants first, then the model, of everything that can be seen of a log. Owned by its run.
final class LogWatch {
    private final LogModel model = new LogModel();
    private final LookupsFindTheFirst lookups = new LookupsFindTheFirst(model);
    private final List<LogInvariant> invariants = new ArrayList<>();

    LogWatch(TopicSettings settings, Clock clock) {
        boolean compacted = settings.compaction().enabled();
        invariants.add(new AcknowledgedIsNeverLost(model, compacted));
        invariants.add(new ReadsMatchWhatWasAppended(model, compacted));
        invariants.add(new DamagedIsNeverServed(model, compacted));
        invariants.add(new NoDuplicateSequence(model));
        invariants.add(new DurableOffsetNeverRetreats(model));
        invariants.add(new EpochsMatchTheBatches(model));
        if (compacted) {
            invariants.add(new CompactionKeepsTheLatest(model, settings.compaction(), clock));
        } else {
            invariants.add(new OffsetsAreDense(model));
            invariants.add(new RetentionKeepsTheYoung(model, settings.retention(), clock));
        }
    }

    LogModel model() {
        return model;
    }

    void afterEvent(PartitionLog log) {
        invariants.forEach(invariant -> invariant.afterEvent(log));
    }

    void appended(ModelBatch batch) {
        invariants.forEach(invariant -> invariant.appended(batch));
        model.appended(batch);
    }

    LookupsFindTheFirst lookups() {
        return lookups;
    }

    void served(long fromOffset, List<RecordBatch> batches) {
        invariants.forEach(invariant -> invariant.served(fromOffset, batches));
    }

    void refused(PartitionLog log, long fromOffset, ReadResult.Damaged answer) {
        invariants.forEach(invariant -> invariant.refused(log, fromOffset, answer));
    }

    /// Segments were taken out of the log.
    void retained(PartitionLog log) {
        invariants.forEach(invariant -> invariant.retained(log));
        model.startMoved(log.startOffset());
    }

    void reopened(PartitionLog log) {
        invariants.forEach(invariant -> invariant.reopened(log));
        model.reopened(log);
    }

    void audited(PartitionLog log, List<RecordBatch> batches) {
        invariants.forEach(invariant -> invariant.audited(log, batches));
    }
}
