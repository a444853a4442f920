package io.sluice.log.recovery;

import io.sluice.env.DiskFile;
import io.sluice.log.producer.ProducerLedger;
import io.sluice.log.segment.BatchScanner;
import io.sluice.log.segment.IndexFile;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SparseIndex;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.log.state.LogSnapshot;
import io.sluice.record.RecordBatch;
import java.util.List;
import java.util.Set;

/// Knows the producers and leader epochs again: the newest snapshot, then the headers of the batches behind it. Blocking.
public final class StateReplay {
    private final LogFolder folder;
    private final ProducerLedger ledger;
    private final LeaderEpochs epochs;
    private final LogSnapshot snapshot;
    private long batches;
    private long bytes;

    private StateReplay(LogFolder folder, LogSnapshot snapshot) {
        this.folder = folder;
        this.snapshot = snapshot;
        this.ledger = ProducerLedger.of(snapshot.producers());
        this.epochs = new LeaderEpochs(snapshot.epochs());
    }

    /// @param names in the folder
    /// @param nowMillis taken as the time of the replayed appends: a producer is rather kept too long than too short
    public static StateReplay run(
            LogFolder folder, Set<String> names, List<Segment> segments, long nowMillis) {
        long end = segments.isEmpty() ? 0 : segments.getLast().endOffset();
        StateReplay replay = new StateReplay(folder, newestSnapshot(folder, names, segments, end));
        for (Segment segment : segments) {
            if (segment.endOffset() > replay.snapshot.offset()) {
                replay.replay(segment, nowMillis);
            }
        }
        return replay;
    }

    public ProducerLedger ledger() {
        return ledger;
    }

    public LeaderEpochs epochs() {
        return epochs;
    }

    /// How many batches were replayed above the snapshot.
    public long batches() {
        return batches;
    }

    /// And how large they are together.
    public long bytes() {
        return bytes;
    }

    private static LogSnapshot newestSnapshot(
            LogFolder folder, Set<String> names, List<Segment> segments, long end) {
        List<Long> offsets = LogFolder.offsetsIn(names, LogFolder.SNAPSHOT);
        for (Long offset : offsets.reversed()) {
            if (offset > end) {
                // Must be gone for good before new batches make it look right again.
                folder.disk().delete(folder.path(offset, LogFolder.SNAPSHOT));
                folder.sync();
                continue;
            }
            LogSnapshot found = LogSnapshot.read(folder, offset);
            if (found != null) {
                return found;
            }
        }
        return LogSnapshot.empty(segments.isEmpty() ? 0 : segments.getFirst().baseOffset());
    }

    private void replay(Segment segment, long nowMillis) {
        try (DiskFile file = folder.disk().openForReading(segment.path())) {
            BatchScanner walk = BatchScanner.walking(file, startIn(segment), segment.sizeInBytes());
            for (RecordBatch batch = walk.next(); batch != null; batch = walk.next()) {
                if (batch.baseOffset() >= snapshot.offset()) {
                    ledger.record(batch, nowMillis);
                    epochs.note(batch.leaderEpoch(), batch.baseOffset());
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
