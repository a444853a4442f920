package io.sluice.log.repair;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.log.segment.EpochCheck;
import io.sluice.log.segment.IndexRebuild;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.PlacedBatches;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SparseIndex;
import io.sluice.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;

/// Reads a whole segment to find what exactly is missing in it. Blocking; owned by its creator.
final class GapSurvey {
    private final LogFolder folder;
    private final SegmentFacts facts;
    private final EpochCheck epochs;
    private final List<Gap> gaps = new ArrayList<>();
    private SparseIndex index = new SparseIndex();

    GapSurvey(LogFolder folder, SegmentFacts facts, EpochCheck epochs) {
        this.folder = folder;
        this.facts = facts;
        this.epochs = epochs;
    }

    /// In the order of the bytes. A segment whose file is gone is one gap.
    List<Gap> run() {
        String path = folder.path(facts.baseOffset(), LogFolder.LOG);
        try (DiskFile file = folder.disk().openForReading(path)) {
            index = IndexRebuild.loadOrRebuild(folder, facts, file);
            read(new PlacedBatches(file, facts, index, epochs, 0));
        } catch (DiskException e) {
            if (e.kind() != DiskException.Kind.NOT_FOUND) {
                throw e;
            }
            gaps.add(new Gap(0, facts.sizeInBytes(), facts.baseOffset(), facts.endOffset()));
        }
        return List.copyOf(gaps);
    }

    /// Damages that follow one another are one gap: nobody knows which offset lay where in it.
    private void read(PlacedBatches batches) {
        long next = facts.baseOffset();
        int gapAt = -1;
        while (true) {
            RecordBatch batch = batches.next();
            if (batch != null) {
                if (gapAt >= 0) {
                    int end = batches.position() - batch.sizeInBytes();
                    gaps.add(new Gap(gapAt, end, next, batch.baseOffset()));
                    gapAt = -1;
                }
                next = batch.nextOffset();
            } else if (batches.damage() == null) {
                break;
            } else {
                gapAt = gapAt < 0 ? batches.position() : gapAt;
                batches.skipDamage();
            }
        }
        if (gapAt >= 0) {
            gaps.add(new Gap(gapAt, facts.sizeInBytes(), next, facts.endOffset()));
        }
    }

    /// As it was found beside the segment.
    SparseIndex index() {
        return index;
    }
}
