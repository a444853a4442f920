package io.sluice.log.segment;

import io.sluice.env.DiskFile;
import io.sluice.record.BatchReader.Flaw;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;

/// Finds how far a damage reaches, so that nothing sound behind it is given up. Pure but for reading.
public final class DamageSurvey {
    private static final int MAGIC_AT = 16;
    private static final int WINDOW_BYTES = 64 << 10;

    /// A batch is seldom larger; behind that everything up to the next known boundary is given up.
    private static final int MOST_SEARCHED_BYTES = 4 << 20;

    private DamageSurvey() {}

    /// From the flaw that the scanner stopped at to the nearest place where a batch is known to begin.
    public static Damage at(
            DiskFile file, BatchScanner scanner, Flaw flaw, SparseIndex index, long sizeInBytes) {
        long position = scanner.batchPosition();
        long boundary = index.boundaryAbove(position, (int) sizeInBytes);
        return new Damage(
                file.path(), position, findEnd(file, scanner, flaw, boundary), flaw.sentence());
    }

    private static long findEnd(DiskFile file, BatchScanner scanner, Flaw flaw, long boundary) {
        long position = scanner.batchPosition();
        if (flaw == Flaw.BAD_CHECKSUM) {
            long next = position + scanner.flawedHeader().sizeInBytes();
            if (next < boundary && BatchScanner.walking(file, next, boundary).next() != null) {
                return next;
            }
        }
        return search(file, position + 1, boundary);
    }

    /// The length is damaged: looks at every place where a batch could begin.
    private static long search(DiskFile file, long from, long boundary) {
        long last = Math.min(boundary, from + MOST_SEARCHED_BYTES) - RecordBatch.HEADER_BYTES;
        ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES);
        for (long at = from; at <= last; at += WINDOW_BYTES) {
            window.clear().limit((int) Math.min(WINDOW_BYTES, last - at + 1));
            file.read(window, at + MAGIC_AT);
            for (int i = 0; i < window.position(); i++) {
                if (window.get(i) == RecordBatch.MAGIC && leadsTo(file, at + i, boundary)) {
                    return at + i;
                }
            }
        }
        return boundary;
    }

    /// Sound batches in order, the last of which ends at the boundary: bytes of a batch that lie inside of a record do not.
    private static boolean leadsTo(DiskFile file, long position, long boundary) {
        BatchScanner scanner = BatchScanner.verifying(file, position, boundary);
        long expected = -1;
        for (RecordBatch batch = scanner.next(); batch != null; batch = scanner.next()) {
            if (batch.baseOffset() < 0 || (expected >= 0 && batch.baseOffset() < expected)) {
                return false;
            }
            expected = batch.nextOffset();
        }
        return scanner.flaw() == null;
    }
}
