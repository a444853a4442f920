package io.sluice.simulation.log;

import io.sluice.env.DiskFile;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.segment.IndexFile;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.record.BatchReader;
import io.sluice.record.BatchReader.Flaw;
import io.sluice.record.RecordBatch;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.disk.SimDisk;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Changes one bit of a file at rest, between two lives of the log, and works out what the log may do about it.
///
/// In front of what the log can know to be durable (a sealed segment, a checkpoint) damage must be refused and nothing else lost. Behind it
/// nobody can tell damage from a torn tail, and the log may end there. In files that only help, damage may cost nothing but time.
/// Owned by its run.
final class Decay {
    /// Of a compacted segment that is on its way in.
    private static final String SWAP = ".swap";

    private final SimDisk disk;
    private final SimEntropy entropy;
    private final LogModel model;

    Decay(SimDisk disk, SimEntropy entropy, LogModel model) {
        this.disk = disk;
        this.entropy = entropy;
        this.model = model;
    }

    /// Returns what was hit, for the story.
    String strike() {
        List<String> files =
                disk.files().stream().filter(path -> disk.durableSize(path) > 0).toList();
        if (files.isEmpty()) {
            return "nothing to damage";
        }
        String path = entropy.pick(files);
        long position = entropy.below(disk.durableSize(path));
        if (path.endsWith(LogFolder.LOG) || path.endsWith(LogFolder.LOG + SWAP)) {
            hitSegment(path, position);
        } else if (path.endsWith("/start-offset")) {
            model.startMayBeForgotten();
        }
        disk.rot(path, position, 1 << entropy.below(8));
        return "bit rot at " + position + " of " + path;
    }

    private void hitSegment(String path, long position) {
        BatchReader reader = new BatchReader(contentOf(path), false);
        RecordBatch hit = null;
        long offset = baseOf(path);
        while (hit == null) {
            RecordBatch batch = reader.next();
            if (batch == null) {
                break;
            }
            if (reader.position() > position) {
                hit = batch;
            } else {
                offset = batch.nextOffset();
            }
        }
        if (hit != null || reader.flaw() != Flaw.EMPTY) {
            model.damaged(offset);
        }
    }

    private static long baseOf(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        return Long.parseLong(name.substring(0, name.indexOf('.')));
    }

    /// How far the log will know, without looking at the batches, that it was durable.
    long knownDurable(@Nullable RecoveryPoint known) {
        long durable = known == null ? 0 : known.durableOffset();
        LogFolder folder = new LogFolder(disk, LogShard.DIRECTORY);
        for (Long base : LogFolder.offsetsIn(disk.list(LogShard.DIRECTORY), LogFolder.INDEX)) {
            SegmentFacts facts = IndexFile.readFacts(folder, base);
            if (facts != null && facts.sealed()) {
                durable = Math.max(durable, facts.endOffset());
            }
        }
        return durable;
    }

    private ByteBuffer contentOf(String path) {
        try (DiskFile file = disk.openForReading(path)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(bytes, 0);
            return bytes.flip();
        }
    }
}
