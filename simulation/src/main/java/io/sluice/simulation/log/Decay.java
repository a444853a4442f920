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
import java.util.ArrayList;
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
    private final List<Strike> strikes = new ArrayList<>();

    private record Strike(String path, long position, byte mask) {}

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
            Place place = placeOf(path, position);
            if (place.isOffset() && wasStruck(path.replace(LogFolder.LOG, LogFolder.INDEX))) {
                return "spared: only the index knew which offsets compaction has left";
            }
            if (place.isBatch()) {
                model.damaged(place.offset());
            }
        } else if (path.endsWith("/start-offset")) {
            model.startMayBeForgotten();
        }
        Strike strike = new Strike(path, position, (byte) (1 << entropy.below(8)));
        disk.rot(path, position, strike.mask());
        strikes.add(strike);
        return "bit rot at " + position + " of " + path;
    }

    private boolean wasStruck(String path) {
        return strikes.stream().anyMatch(strike -> strike.path().equals(path));
    }

    /// Where in a segment a position is.
    ///
    /// @param offset of the batch
    /// @param isOffset in the batch's base offset
    private record Place(long offset, boolean isBatch, boolean isOffset) {}

    private Place placeOf(String path, long position) {
        BatchReader reader = new BatchReader(asItWas(path), false);
        long offset = baseOf(path);
        int start = 0;
        for (RecordBatch batch = reader.next(); batch != null; batch = reader.next()) {
            if (reader.position() > position) {
                return new Place(offset, true, position < start + Long.BYTES);
            }
            offset = batch.nextOffset();
            start = reader.position();
        }
        return new Place(offset, reader.flaw() != Flaw.EMPTY, false);
    }

    /// Without the damages of before, which hide where batches begin. Some may be gone, because the file was written anew since.
    private ByteBuffer asItWas(String path) {
        ByteBuffer bytes = contentOf(path);
        List<Strike> left = new ArrayList<>(strikes);
        left.removeIf(strike -> !strike.path().equals(path) || strike.position() >= bytes.limit());
        while (left.removeIf(strike -> isUndone(bytes, strike))) {
            // One that lay behind another can be undone now.
        }
        return bytes;
    }

    private static boolean isUndone(ByteBuffer bytes, Strike strike) {
        int sound = soundBytes(bytes);
        int at = (int) strike.position();
        bytes.put(at, (byte) (bytes.get(at) ^ strike.mask()));
        if (soundBytes(bytes) > sound) {
            return true;
        }
        bytes.put(at, (byte) (bytes.get(at) ^ strike.mask()));
        return false;
    }

    private static int soundBytes(ByteBuffer bytes) {
        BatchReader reader = new BatchReader(bytes);
        while (reader.next() != null) {
            // On to the first flaw.
        }
        return reader.position();
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
