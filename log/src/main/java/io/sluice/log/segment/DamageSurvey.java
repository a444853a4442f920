package io.sluice.log.segment;

import io.sluice.env.DiskFile;
import io.sluice.record.BatchReader.Flaw;

/// Finds how far a damage reaches, so that nothing sound behind it is given up. Pure but for reading.
public final class DamageSurvey {
    private DamageSurvey() {}

    /// From the flaw that the scanner stopped at to the nearest place where a batch is known to begin.
    public static Damage at(
            DiskFile file, BatchScanner scanner, Flaw flaw, SparseIndex index, long sizeInBytes) {
        long position = scanner.batchPosition();
        long end = index.boundaryAbove(position, (int) sizeInBytes);
        if (flaw == Flaw.BAD_CHECKSUM) {
            long next = position + scanner.flawedHeader().sizeInBytes();
            if (next < end && beginsBatch(file, next, sizeInBytes)) {
                end = next;
            }
        }
        return new Damage(file.path(), position, end, flaw.sentence());
    }

    private static boolean beginsBatch(DiskFile file, long position, long sizeInBytes) {
        return BatchScanner.walking(file, position, sizeInBytes).next() != null;
    }
}
