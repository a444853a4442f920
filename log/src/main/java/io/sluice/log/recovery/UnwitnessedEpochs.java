package io.sluice.log.recovery;

import io.sluice.log.state.LeaderEpochs;
import io.sluice.log.state.LeaderEpochs.Entry;
import io.sluice.record.RecordBatch;
import org.jspecify.annotations.Nullable;

/// Learns from batches of epochs that nothing else knows of, because a snapshot was lost: epochs never go back, so a batch is believed unless the next one
/// contradicts it. Owned by its replay.
final class UnwitnessedEpochs {
    private final LeaderEpochs epochs;
    private final @Nullable Entry firstWitnessed;
    private @Nullable Entry pending;

    UnwitnessedEpochs(LeaderEpochs epochs) {
        this.epochs = epochs;
        this.firstWitnessed = epochs.entries().isEmpty() ? null : epochs.entries().getFirst();
    }

    /// The batches of the log in order.
    void next(RecordBatch batch) {
        Entry before = pending;
        pending = null;
        if (before != null && batch.leaderEpoch() >= before.epoch()) {
            epochs.learn(before);
        }
        if (isNew(batch.leaderEpoch(), batch.baseOffset())) {
            pending = new Entry(batch.leaderEpoch(), batch.baseOffset());
        }
    }

    private boolean isNew(int epoch, long offset) {
        Entry witnessed = firstWitnessed;
        if (witnessed == null || offset >= witnessed.startOffset()) {
            return epoch > epochs.latest();
        }
        return epoch > epochs.epochAt(offset) && epoch <= witnessed.epoch();
    }

    /// There is no further batch to confirm the last one: it is believed only where no epoch has a witness at all.
    void end() {
        Entry last = pending;
        if (last != null && firstWitnessed == null) {
            epochs.learn(last);
        }
    }
}
