package io.sluice.coordinator;

import io.sluice.env.DiskException;
import io.sluice.env.Reply;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A partition in memory whose failures are chosen by the test: refusals, late commits, lost tails, changes of leader. Owned by its test.
public final class InMemoryPartition {
    private final List<ByteBuffer> batches = new ArrayList<>();
    private final ArrayDeque<Uncommitted> uncommitted = new ArrayDeque<>();
    private @Nullable Unavailability refusal;
    private boolean commitsByItself = true;
    private boolean readsLate;
    private final ArrayDeque<Runnable> lateReads = new ArrayDeque<>();
    private final List<Runnable> lossListeners = new ArrayList<>();
    private int leaderEpoch;
    private long endOffset;

    private record Uncommitted(
            CoordinatorLog.Position position, Reply<CoordinatorLog.Position> committed) {}

    /// Appends are refused for this reason; null takes them again.
    public void refuse(@Nullable Unavailability cause) {
        refusal = cause;
    }

    /// Whether an append is committed at once, or when [#commit] says so.
    public void commitByItself(boolean itself) {
        commitsByItself = itself;
    }

    /// Reads are answered when [#answerReads] says so.
    public void readLate(boolean late) {
        readsLate = late;
    }

    public void answerReads() {
        while (!lateReads.isEmpty()) {
            lateReads.remove().run();
        }
    }

    /// How many want to hear of the loss of leadership.
    public int watchers() {
        return lossListeners.size();
    }

    public int uncommittedCount() {
        return uncommitted.size();
    }

    /// Commits the oldest batches that are not yet.
    public void commit(int count) {
        for (int i = 0; i < count && !uncommitted.isEmpty(); i++) {
            Uncommitted next = uncommitted.remove();
            next.committed().complete(next.position());
        }
    }

    public void commitAll() {
        commit(uncommitted.size());
    }

    /// What a broker does that mistakes another leader's high watermark for its own (KAFKA-20634).
    public void commitUnderAnotherEpoch() {
        Uncommitted next = uncommitted.remove();
        next.committed()
                .complete(
                        new CoordinatorLog.Position(
                                next.position().leaderEpoch() + 1, next.position().lastOffset()));
    }

    /// The disk fails. Of the batches not committed the first `survivors` are found again, the others are gone.
    public void loseUncommitted(int survivors) {
        List<Uncommitted> lost = new ArrayList<>(uncommitted);
        uncommitted.clear();
        for (int i = lost.size(); i > survivors; i--) {
            batches.removeLast();
        }
        endOffset = batches.isEmpty() ? 0 : RecordBatch.at(batches.getLast(), 0).nextOffset();
        for (Uncommitted one : lost) {
            one.committed().fail(new DiskException(DiskException.Kind.IO, "log", "fsync failed"));
        }
    }

    /// Appends bytes that no coordinator wrote.
    public void plant(ByteBuffer batch) {
        RecordBatch view = RecordBatch.at(batch, 0);
        view.assign(endOffset, leaderEpoch);
        batches.add(batch);
        endOffset = view.nextOffset();
    }

    public List<ByteBuffer> batches() {
        return batches;
    }

    /// A new leadership.
    public CoordinatorLog open() {
        leaderEpoch++;
        return new Leadership(leaderEpoch);
    }

    /// Another broker leads: the present leadership hears of it.
    public void loseLeadership() {
        leaderEpoch++;
        List<Runnable> told = List.copyOf(lossListeners);
        lossListeners.clear();
        told.forEach(Runnable::run);
    }

    private final class Leadership implements CoordinatorLog {
        private final int epoch;

        Leadership(int epoch) {
            this.epoch = epoch;
        }

        @Override
        public Append append(ByteBuffer batch) {
            if (epoch != leaderEpoch) {
                return new Append.Refused(Unavailability.NOT_LEADER);
            }
            if (refusal != null) {
                return new Append.Refused(refusal);
            }
            RecordBatch view = RecordBatch.at(batch, 0);
            view.assign(endOffset, epoch);
            batches.add(batch);
            endOffset = view.nextOffset();
            Position position = new Position(epoch, view.lastOffset());
            Reply<Position> committed = new Reply<>();
            if (commitsByItself && uncommitted.isEmpty()) {
                committed.complete(position);
            } else {
                uncommitted.add(new Uncommitted(position, committed));
            }
            return new Append.Accepted(position, committed);
        }

        @Override
        public Watch onLoss(Runnable listener) {
            lossListeners.add(listener);
            return () -> lossListeners.remove(listener);
        }

        @Override
        public long startOffset() {
            return 0;
        }

        @Override
        public Reply<ByteBuffer> read(long fromOffset, int maxBytes) {
            Reply<ByteBuffer> reply = new Reply<>();
            if (readsLate) {
                lateReads.add(() -> reply.complete(batchFrom(fromOffset)));
            } else {
                reply.complete(batchFrom(fromOffset));
            }
            return reply;
        }

        private ByteBuffer batchFrom(long fromOffset) {
            for (ByteBuffer batch : batches) {
                if (RecordBatch.at(batch, 0).nextOffset() > fromOffset) {
                    return batch.duplicate();
                }
            }
            return ByteBuffer.allocate(0);
        }
    }
}
