package io.sluice.log.recovery;

import io.sluice.env.DiskFile;
import io.sluice.log.producer.ProducerLedger;
import io.sluice.log.segment.BatchScanner;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.IndexFile;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SparseIndex;
import io.sluice.log.state.EpochNames;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.log.state.LogSnapshot;
import io.sluice.record.RecordBatch;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Knows the producers and leader epochs again: the newest snapshot, then the headers of the batches behind it. Blocking.
public final class StateReplay {
    private final LogFolder folder;
    private final ProducerLedger ledger;
    private final LeaderEpochs epochs;
    private final UnwitnessedEpochs unwitnessed;
    private final LogSnapshot snapshot;
    private long batches;
    private long bytes;

    private StateReplay(LogFolder folder, LogSnapshot snapshot, LeaderEpochs epochs) {
        this.folder = folder;
        this.snapshot = snapshot;
        this.ledger = ProducerLedger.of(snapshot.producers());
        this.epochs = epochs;
        this.unwitnessed = new UnwitnessedEpochs(epochs);
    }

    /// @param newest the newest snapshot in the folder that can be believed
    /// @param epochs known so far
    /// @param nowMillis taken as the time of the replayed appends: a producer is rather kept too long than too short
    static StateReplay run(
            LogFolder folder,
            Set<String> names,
            @Nullable LogSnapshot newest,
            LeaderEpochs epochs,
            List<Segment> segments,
            long nowMillis) {
        LogSnapshot snapshot = usableSnapshot(folder, names, newest, segments);
        StateReplay replay = new StateReplay(folder, snapshot, epochs);
        for (Segment segment : segments) {
            if (segment.endOffset() > snapshot.offset()) {
                replay.replay(segment, nowMillis);
            }
        }
        replay.unwitnessed.end();
        return replay;
    }

    public ProducerLedger ledger() {
        return ledger;
    }

    public LeaderEpochs epochs() {
        return epochs;
    }

    LogSnapshot snapshotAt(long offset) {
        return new LogSnapshot(offset, epochs.entries(), ledger.describe());
    }

    /// How many batches were replayed above the snapshot.
    public long batches() {
        return batches;
    }

    /// And how large they are together.
    public long bytes() {
        return bytes;
    }

    /// Without its producers when batches behind it are gone: they may have sent some of those since, and one that is not known may go on with any number.
    private static LogSnapshot usableSnapshot(
            LogFolder folder,
            Set<String> names,
            @Nullable LogSnapshot newest,
            List<Segment> segments) {
        long first = segments.isEmpty() ? 0 : segments.getFirst().baseOffset();
        long end = segments.isEmpty() ? 0 : segments.getLast().endOffset();
        LogSnapshot found = forgetAbove(folder, names, end) ? null : newest;
        if (found == null) {
            found = LogSnapshot.newest(folder, names);
        }
        if (found == null) {
            return LogSnapshot.empty(first);
        }
        return found.offset() < first
                ? new LogSnapshot(found.offset(), found.epochs(), List.of())
                : found;
    }

    /// Must be gone for good before new batches make them look right again.
    private static boolean forgetAbove(LogFolder folder, Set<String> names, long end) {
        boolean some = EpochNames.forgetFrom(folder, names, end);
        for (Long offset : LogFolder.offsetsIn(names, LogFolder.SNAPSHOT)) {
            if (offset > end) {
                folder.disk().delete(folder.path(offset, LogFolder.SNAPSHOT));
                names.remove(LogFolder.name(offset, LogFolder.SNAPSHOT));
                some = true;
            }
        }
        if (some) {
            folder.sync();
        }
        return some;
    }

    private void replay(Segment segment, long nowMillis) {
        try (DiskFile file = folder.disk().openForReading(segment.path())) {
            BatchScanner walk = BatchScanner.walking(file, startIn(segment), segment.sizeInBytes());
            while (true) {
                RecordBatch batch = walk.next();
                Damage damage = segment.findDamageAt((int) walk.batchPosition());
                if (damage != null && damage.endPosition() < segment.sizeInBytes()) {
                    // What lies in there may have been anybody's: who is not known may go on with
                    // any number.
                    ledger.forgetAll();
                    walk.skipTo(damage.endPosition());
                } else if (batch == null || damage != null) {
                    return;
                } else if (batch.baseOffset() >= snapshot.offset()) {
                    ledger.record(batch, nowMillis);
                    unwitnessed.next(batch);
                    batches++;
                    bytes += batch.sizeInBytes();
                }
            }
        }
    }

    private int startIn(Segment segment) {
        if (snapshot.offset() <= segment.baseOffset()) {
            return 0;
        }
        SparseIndex index = segment.index();
        if (index == null) {
            IndexFile.Content content = IndexFile.read(folder, segment.baseOffset());
            index = content == null ? new SparseIndex() : content.index();
        }
        return index.positionAtOrBelowOffset(snapshot.offset() - segment.baseOffset());
    }
}
