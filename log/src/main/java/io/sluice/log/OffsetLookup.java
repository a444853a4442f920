package io.sluice.log;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.log.segment.BatchScanner;
import io.sluice.log.segment.IndexFile;
import io.sluice.log.segment.IndexRebuild;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SparseIndex;
import io.sluice.record.LogRecord;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds a record by its timestamp. Made by the owner, run by a READ worker; sees the log as it was when it was made.
public final class OffsetLookup {
    private final LogFolder folder;
    private List<View> segments;
    private final long startOffset;
    private final long timestamp;
    private final boolean latest;
    private boolean overtaken;

    /// A record, by where and when it is.
    public record Found(long offset, long timestamp, int leaderEpoch) {}

    /// @param index null when it has to be loaded
    private record View(SegmentFacts facts, @Nullable SparseIndex index) {}

    private OffsetLookup(
            LogFolder folder,
            List<Segment> segments,
            long startOffset,
            long timestamp,
            boolean latest) {
        this.folder = folder;
        this.segments = new ArrayList<>(segments.size());
        for (Segment segment : segments) {
            SparseIndex index = segment.index();
            this.segments.add(new View(segment.facts(), index == null ? null : index.view()));
        }
        this.startOffset = startOffset;
        this.timestamp = timestamp;
        this.latest = latest;
    }

    /// The first record with this timestamp or a later one.
    static OffsetLookup notBefore(
            LogFolder folder, List<Segment> segments, long startOffset, long timestamp) {
        return new OffsetLookup(folder, segments, startOffset, timestamp, false);
    }

    /// The first of the records with the latest timestamp (KIP-734).
    static OffsetLookup latest(LogFolder folder, List<Segment> segments, long startOffset) {
        long latest = RecordBatch.NO_TIMESTAMP;
        for (Segment segment : segments) {
            latest = Math.max(latest, segment.facts().maxTimestamp());
        }
        return new OffsetLookup(folder, segments, startOffset, latest, true);
    }

    /// On a worker. Null when there is no such record.
    public @Nullable Found run() {
        if (latest && timestamp == RecordBatch.NO_TIMESTAMP) {
            return null;
        }
        Found found = search(true);
        if (overtaken) {
            segments = viewsOnDisk();
            found = search(false);
        }
        return found;
    }

    /// Retention or compaction has changed the files since this look-up was made: sees them as they are now.
    private List<View> viewsOnDisk() {
        List<View> views = new ArrayList<>();
        List<String> names = folder.disk().list(folder.directory());
        for (Long base : LogFolder.offsetsIn(names, LogFolder.LOG)) {
            SegmentFacts facts = IndexFile.readFacts(folder, base);
            if (facts != null && facts.sealed()) {
                views.add(new View(facts, null));
            }
        }
        segments.stream().filter(view -> !view.facts().sealed()).forEach(views::add);
        return views;
    }

    /// @param stops at a file that is not as expected
    private @Nullable Found search(boolean stops) {
        for (View view : segments) {
            if (view.facts().maxTimestamp() >= timestamp
                    && view.facts().endOffset() > startOffset) {
                Found found = search(view);
                if (found != null || (overtaken && stops)) {
                    return found;
                }
            }
        }
        return null;
    }

    private @Nullable Found search(View view) {
        SegmentFacts facts = view.facts();
        String path = folder.path(facts.baseOffset(), LogFolder.LOG);
        try (DiskFile file = folder.disk().openForReading(path)) {
            SparseIndex index =
                    view.index() != null
                            ? view.index()
                            : IndexRebuild.loadOrRebuild(folder, facts, file);
            int from =
                    Math.max(
                            index.positionBeforeTimestamp(timestamp),
                            index.positionAtOrBelowOffset(startOffset - facts.baseOffset()));
            BatchScanner scanner = BatchScanner.verifying(file, from, facts.sizeInBytes());
            Found found = scan(scanner);
            overtaken |= scanner.flaw() != null;
            return found;
        } catch (DiskException e) {
            if (e.kind() != DiskException.Kind.NOT_FOUND) {
                throw e;
            }
            overtaken = true;
            return null;
        }
    }

    private @Nullable Found scan(BatchScanner scanner) {
        for (RecordBatch batch = scanner.next(); batch != null; batch = scanner.next()) {
            if (batch.maxTimestamp() >= timestamp && batch.lastOffset() >= startOffset) {
                Found found = find(scanner.wholeBatch());
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private @Nullable Found find(RecordBatch batch) {
        try {
            RecordReader records = RecordReader.open(batch);
            while (records.hasNext()) {
                LogRecord record = records.next();
                if (record.timestamp() >= timestamp && record.offset() >= startOffset) {
                    return new Found(record.offset(), record.timestamp(), batch.leaderEpoch());
                }
            }
        } catch (MalformedBatch _) {
            return null; // Refused on arrival; should it be there all the same, readers are told.
        }
        return null;
    }
}
