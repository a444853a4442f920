package io.sluice.log.recovery;

import io.sluice.log.state.LeaderEpochs;
import io.sluice.log.state.LeaderEpochs.Entry;
import io.sluice.record.RecordBatch;
import org.jspecify.annotations.Nullable;

/// Learns from batches of epochs that nothing else knows of, because a snapshot was lost: epochs never go back, so a batch is believed unless the next one
/// contradicts it. Owned by its replay.
final class UnwitnessedEpochs {
    private final LeaderEpochs epochs;
    private @Nullable Entry pending;

    UnwitnessedEpochs(LeaderEpochs epochs) {
        this.epochs = epochs;
    }

    /// The batches of the log in order.
    void next(RecordBatch batch) {
        Entry before = pending;
        pending = null;
        if (before != null && batch.leaderEpoch() >= before.epoch()) {
            epochs.learn(before);
        }
        int epoch = batch.leaderEpoch();
        boolean unknown =
                epochs.epochAt(batch.baseOffset()) < 0
                        ? epochs.allows(epoch, batch.baseOffset())
                        : epoch > epochs.latest();
        if (unknown) {
            pending = new Entry(epoch, batch.baseOffset());
        }
    }

    /// There is no further batch.
    void end() {
        Entry last = pending;
        if (last != null) {
            epochs.learn(last);
        }
    }
}
