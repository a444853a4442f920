package io.sluice.log.inspect;

import io.sluice.env.Disk;
import io.sluice.env.DiskFile;
import io.sluice.log.segment.BatchScanner;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.DamageSurvey;
import io.sluice.log.segment.IndexFile;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SparseIndex;
import io.sluice.record.BatchReader.Flaw;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Walks over every batch of a partition and says what is there and what is wrong. Blocking; owned by its caller.
public final class LogInspector {
    private final LogFolder folder;
    private final boolean opensRecords;
    private final List<Finding> findings = new ArrayList<>();
    private boolean isLast;

    /// Something that is not as it should be.
    ///
    /// @param harmless explained by a crash or by a broker that is writing; recovery puts it right
    public record Finding(String file, long position, String sentence, boolean harmless) {}

    /// One file of batches.
    ///
    /// @param facts as its index file tells, or null when there is none that can be believed
    public record SegmentView(
            String file,
            long baseOffset,
            long sizeInBytes,
            @Nullable SegmentFacts facts,
            boolean sealed) {}

    /// Told of everything in the order in which it lies on disk.
    public interface Visitor {
        default void segment(SegmentView segment) {}

        /// The batch may be kept: it has its own copy of the bytes.
        default void batch(SegmentView segment, long position, RecordBatch batch) {}
    }

    /// @param opensRecords also decodes the records, and reports batches that do not open
    public LogInspector(Disk disk, String directory, boolean opensRecords) {
        this.folder = new LogFolder(disk, directory);
        this.opensRecords = opensRecords;
    }

    /// Returns what is wrong; empty for a sound log.
    public List<Finding> inspect(Visitor visitor) {
        findings.clear();
        List<String> names = folder.disk().list(folder.directory());
        List<Long> bases = LogFolder.offsetsIn(names, LogFolder.LOG);
        long expected = -1;
        for (int i = 0; i < bases.size(); i++) {
            long base = bases.get(i);
            String file = folder.path(base, LogFolder.LOG);
            if (expected >= 0 && base != expected) {
                findings.add(
                        new Finding(
                                file,
                                0,
                                "The segment begins at offset "
                                        + base
                                        + ", the one before ends at "
                                        + expected
                                        + ".",
                                false));
            }
            isLast = i == bases.size() - 1;
            expected = inspect(base, file, visitor);
        }
        reportOtherFiles(names);
        return List.copyOf(findings);
    }

    /// Returns where the segment ends.
    private long inspect(long base, String path, Visitor visitor) {
        IndexFile.Content index = IndexFile.read(folder, base);
        SegmentFacts facts = index == null ? IndexFile.readFacts(folder, base) : index.facts();
        boolean sealed = facts != null && facts.sealed();
        try (DiskFile file = folder.disk().openForReading(path)) {
            long size = file.size();
            SegmentView view = new SegmentView(path, base, size, facts, sealed);
            visitor.segment(view);
            Set<Long> boundaries = new HashSet<>();
            SparseIndex entries = index == null ? new SparseIndex() : index.index();
            long end = walk(file, view, entries, boundaries, visitor);
            if (index != null) {
                checkIndex(entries, boundaries, base);
            } else if (folder.disk().exists(folder.path(base, LogFolder.INDEX))) {
                report(folder.path(base, LogFolder.INDEX), 0, "The index cannot be used.", true);
            }
            if (facts != null && sealed && facts.sizeInBytes() != size) {
                report(
                        path,
                        Math.min(size, facts.sizeInBytes()),
                        "The file has " + size + " bytes, sealed were " + facts.sizeInBytes() + ".",
                        false);
            }
            return facts != null && sealed ? facts.endOffset() : end;
        }
    }

    private long walk(
            DiskFile file,
            SegmentView segment,
            SparseIndex index,
            Set<Long> boundaries,
            Visitor visitor) {
        BatchScanner scanner = BatchScanner.verifying(file, 0, segment.sizeInBytes());
        long end = segment.baseOffset();
        while (true) {
            RecordBatch batch = scanner.next();
            if (batch != null) {
                boundaries.add(scanner.batchPosition());
                end = visit(scanner, segment, end, visitor);
                continue;
            }
            Flaw flaw = scanner.flaw();
            if (flaw == null || (flaw == Flaw.EMPTY && !segment.sealed())) {
                return end;
            }
            long next = reportFlaw(file, scanner, flaw, segment, index);
            if (next >= segment.sizeInBytes()) {
                return end;
            }
            scanner.skipTo(next);
        }
    }

    private long visit(BatchScanner scanner, SegmentView segment, long end, Visitor visitor) {
        RecordBatch whole = scanner.wholeBatch();
        long position = scanner.batchPosition();
        if (whole.baseOffset() < end) {
            report(
                    segment.file(),
                    position,
                    "The offset goes back from " + end + " to " + whole.baseOffset() + ".",
                    false);
        }
        if (opensRecords) {
            open(whole, segment.file(), position);
        }
        visitor.batch(segment, position, whole);
        return Math.max(end, whole.nextOffset());
    }

    /// Returns where to go on.
    private long reportFlaw(
            DiskFile file,
            BatchScanner scanner,
            Flaw flaw,
            SegmentView segment,
            SparseIndex index) {
        Damage damage = DamageSurvey.at(file, scanner, flaw, index, segment.sizeInBytes());
        boolean torn = isLast && !segment.sealed() && damage.endPosition() >= segment.sizeInBytes();
        report(
                segment.file(),
                damage.position(),
                "Here "
                        + flaw.sentence()
                        + (torn
                                ? "; a torn or unfinished write at the end of the log."
                                : "; the next sound batch is at " + damage.endPosition() + "."),
                torn);
        return damage.endPosition();
    }

    private void open(RecordBatch batch, String file, long position) {
        try {
            RecordReader.readAll(batch);
        } catch (MalformedBatch e) {
            report(file, position, "The records do not decode: " + e.getMessage() + ".", false);
        }
    }

    private void checkIndex(SparseIndex index, Set<Long> boundaries, long base) {
        for (int i = 0; i < index.count(); i++) {
            if (!boundaries.contains((long) index.position(i))) {
                report(
                        folder.path(base, LogFolder.INDEX),
                        i,
                        "Entry "
                                + i
                                + " points to "
                                + index.position(i)
                                + ", where no batch begins.",
                        true);
                return;
            }
        }
    }

    private void reportOtherFiles(List<String> names) {
        for (String name : names) {
            if (name.endsWith(LogFolder.TORN)) {
                report(folder.path(name), 0, "Bytes that an earlier recovery cut off.", true);
            }
        }
    }

    private void report(String file, long position, String sentence, boolean harmless) {
        findings.add(new Finding(file, position, sentence, harmless));
    }
}
