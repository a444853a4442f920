package io.sluice.simulation.cluster;

import io.sluice.record.PartitionId;
import io.sluice.record.RecordBatch;
import io.sluice.simulation.disk.FileContent;
import io.sluice.simulation.disk.SimDisk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What really is on a broker's disk of one partition, read past the broker. Owned by its run.
///
/// Reads on where it left off, as long as only the ends of files have changed.
public final class ReplicaLog {
    private final SimDisk disk;
    private final String folder;
    private final SortedMap<String, Segment> segments = new TreeMap<>();
    private List<Stored> batches = new ArrayList<>();
    private String hole = "";

    /// A batch on disk.
    public record Stored(
            long baseOffset,
            long nextOffset,
            int epoch,
            int checksum,
            String path,
            int position,
            int size) {
        boolean follows(Stored before) {
            return baseOffset == before.nextOffset && epoch >= before.epoch;
        }

        public boolean isSameAs(Stored other) {
            return baseOffset == other.baseOffset
                    && nextOffset == other.nextOffset
                    && epoch == other.epoch
                    && checksum == other.checksum;
        }
    }

    private static final class Segment {
        private final FileContent first;
        private final List<Stored> batches = new ArrayList<>();
        private int readUpTo;

        Segment(FileContent first) {
            this.first = first;
        }

        @SuppressWarnings("ReferenceEquality") // The same file, not one that looks alike.
        boolean isOf(FileContent now) {
            return first.identity() == now.identity() && first.rewrites() == now.rewrites();
        }
    }

    ReplicaLog(SimDisk disk, PartitionId partition) {
        this.disk = disk;
        this.folder = partition.toString();
    }

    boolean isOn(SimDisk other) {
        return disk == other;
    }

    /// All whole batches, as far as they follow each other, as of the last [#refresh].
    public List<Stored> batches() {
        return Collections.unmodifiableList(batches);
    }

    /// The first place where batches do not follow each other; empty when they all do.
    public String hole() {
        return hole;
    }

    /// The batch that begins at the offset, or null.
    public @Nullable Stored find(long baseOffset) {
        int low = 0;
        int high = batches.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long base = batches.get(middle).baseOffset();
            if (base == baseOffset) {
                return batches.get(middle);
            }
            if (base < baseOffset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }

    public boolean has(History.Committed batch) {
        Stored found = find(batch.baseOffset());
        return found != null && found.checksum() == batch.checksum();
    }

    /// A power loss would leave it.
    public boolean hasDurably(History.Committed batch) {
        Stored found = find(batch.baseOffset());
        if (found == null || found.checksum() != batch.checksum()) {
            return false;
        }
        FileContent content = disk.content(found.path());
        int end = found.position() + found.size();
        return content.durable().limit() >= end
                && content.durable()
                        .slice(found.position(), found.size())
                        .equals(content.current().slice(found.position(), found.size()));
    }

    public long endOffset() {
        return batches.isEmpty() ? 0 : batches.getLast().nextOffset();
    }

    /// Looks at the disk again.
    void refresh() {
        boolean changed = false;
        List<String> present = new ArrayList<>();
        for (String name : disk.namesIn(folder)) {
            if (name.endsWith(".log")) {
                present.add(folder + "/" + name);
                changed |= refresh(folder + "/" + name);
            }
        }
        changed |= segments.keySet().retainAll(present);
        if (changed) {
            batches = connected();
        }
    }

    /// What lies behind a hole does not count: a power loss may leave a later segment and not an earlier one, or what was cut behind what was not, which recovery finds out.
    private List<Stored> connected() {
        List<Stored> all = new ArrayList<>();
        hole = "";
        for (Segment segment : segments.values()) {
            for (Stored batch : segment.batches) {
                if (!all.isEmpty() && !batch.follows(all.getLast())) {
                    hole = batch + " behind " + all.getLast();
                    return all;
                }
                all.add(batch);
            }
        }
        return all;
    }

    private boolean refresh(String path) {
        FileContent now = disk.content(path);
        Segment known = segments.get(path);
        if (known == null || !known.isOf(now)) {
            known = new Segment(now);
            segments.put(path, known);
            read(path, known, now.current());
            return true;
        }
        return known.readUpTo < now.current().limit() && read(path, known, now.current());
    }

    private static boolean read(String path, Segment segment, ByteBuffer bytes) {
        boolean found = false;
        int at = segment.readUpTo;
        while (bytes.limit() - at >= RecordBatch.HEADER_BYTES) {
            RecordBatch batch = RecordBatch.at(bytes, at);
            int size = batch.sizeInBytes();
            if (size < RecordBatch.HEADER_BYTES
                    || at + (long) size > bytes.limit()
                    || batch.magic() != RecordBatch.MAGIC
                    || !batch.checksumHolds()) {
                break;
            }
            segment.batches.add(
                    new Stored(
                            batch.baseOffset(),
                            batch.nextOffset(),
                            batch.leaderEpoch(),
                            batch.checksum(),
                            path,
                            at,
                            size));
            at += size;
            found = true;
        }
        segment.readUpTo = at;
        return found;
    }
}
