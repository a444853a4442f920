package io.sluice.partition;

import io.sluice.env.Workers;
import io.sluice.log.PartitionLog;
import io.sluice.log.StartOffsetChange;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

/// Gives up the oldest records by request (DeleteRecords); the new start counts once it cannot be undone by a crash. Owned by its shard.
///
/// One request after the other: all of them write the same file, so that side by side an earlier start could come to stand there last, and what was given up would be back after a restart.
final class RecordDeletions {
    private final PartitionLog log;
    private final Errands errands;
    private final Runnable progressed;
    private final Queue<Asked> waiting = new ArrayDeque<>(0);
    private boolean writing;

    /// @param progressed called when the start has moved
    RecordDeletions(PartitionLog log, Errands errands, Runnable progressed) {
        this.log = log;
        this.errands = errands;
        this.progressed = progressed;
    }

    private record Asked(long offset, Consumer<DeleteOutcome> done) {}

    /// @param offset the first that stays, not above the high watermark
    void deleteBefore(long offset, Consumer<DeleteOutcome> done) {
        waiting.add(new Asked(offset, done));
        next();
    }

    private void next() {
        while (!writing && !waiting.isEmpty()) {
            Asked asked = waiting.remove();
            StartOffsetChange change = log.beginStartOffsetChange(asked.offset());
            if (change == null) {
                asked.done().accept(new DeleteOutcome.Deleted(log.startOffset()));
            } else {
                write(change, asked.done());
            }
        }
    }

    private void write(StartOffsetChange change, Consumer<DeleteOutcome> done) {
        writing = true;
        errands.run(
                Workers.Kind.HOUSEKEEPING,
                "A deletion of records",
                () -> {
                    change.run();
                    return change;
                },
                written -> {
                    log.completeStartOffsetChange(written);
                    progressed.run();
                    end(done, new DeleteOutcome.Deleted(log.startOffset()));
                },
                failure ->
                        end(
                                done,
                                new DeleteOutcome.Failed(
                                        Unavailable.OFFLINE,
                                        String.valueOf(failure.getMessage()))));
    }

    private void end(Consumer<DeleteOutcome> done, DeleteOutcome outcome) {
        writing = false;
        done.accept(outcome);
        next();
    }
}
