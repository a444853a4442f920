package io.sluice.log.recovery;

import io.sluice.log.segment.BatchScanner;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides whether a batch can be the next one in a segment that is recovered: no checksum covers its offset and its epoch.
///
/// In order is what begins where the batch before ends, in the epoch that is known for this offset. A jump of either is believed only if something else says
/// the same: the next batch goes on from there, or an epoch is known to begin there. One changed bit cannot do that. Owned by its recovery.
final class Succession {
    private static final long CLOCK_SLACK_MILLIS = 3_600_000;

    private final LeaderEpochs epochs;
    private final boolean gapsAllowed;
    private final List<LeaderEpochs.Entry> learned = new ArrayList<>(0);

    /// @param epochs what is known; learns of epochs that two batches agree on
    /// @param gapsAllowed a compacted topic's log may jump over offsets
    Succession(LeaderEpochs epochs, boolean gapsAllowed) {
        this.epochs = epochs;
        this.gapsAllowed = gapsAllowed;
    }

    boolean gapsAllowed() {
        return gapsAllowed;
    }

    /// Epochs that only batches knew of.
    List<LeaderEpochs.Entry> learned() {
        return learned;
    }

    /// True without a look at the next one or at the checksum, so that what the log does by the header must be likely.
    boolean isPlain(SegmentFacts before, RecordBatch batch) {
        return batch.baseOffset() == before.endOffset()
                && hasLikelyTimestamp(before, batch)
                && isInRange(before, batch)
                && epochs.allows(batch.leaderEpoch(), batch.baseOffset());
    }

    /// @param scanner stands at the batch
    /// @param gapExplained bytes in front of it could not be read, or it is known otherwise that it may jump
    boolean accepts(
            SegmentFacts before, BatchScanner scanner, RecordBatch batch, boolean gapExplained) {
        if (batch.baseOffset() < before.endOffset() || !isInRange(before, batch)) {
            return false;
        }
        boolean jump =
                batch.baseOffset() > before.endOffset()
                        && !gapExplained
                        && !epochs.beginsAt(batch.baseOffset());
        if (jump && !gapsAllowed) {
            return false;
        }
        boolean known = epochs.epochAt(batch.baseOffset()) == batch.leaderEpoch();
        if (!jump && !gapExplained && known) {
            return true;
        }
        RecordBatch next = scanner.peek();
        if ((jump && next == null) || (next != null && !follows(batch, next))) {
            return false;
        }
        return known || learn(batch, next);
    }

    private boolean follows(RecordBatch batch, RecordBatch next) {
        return gapsAllowed
                ? next.baseOffset() >= batch.nextOffset()
                : next.baseOffset() == batch.nextOffset();
    }

    /// An epoch whose name a crash has undone: nothing of it was acknowledged, but it may be kept.
    private boolean learn(RecordBatch batch, @Nullable RecordBatch next) {
        int epoch = batch.leaderEpoch();
        boolean believed =
                epochs.epochAt(batch.baseOffset()) < 0
                        ? epochs.allows(epoch, batch.baseOffset())
                                && (next == null || next.leaderEpoch() >= epoch)
                        : epoch > epochs.latest() && next != null && next.leaderEpoch() == epoch;
        if (believed) {
            LeaderEpochs.Entry entry = new LeaderEpochs.Entry(epoch, batch.baseOffset());
            epochs.learn(entry);
            learned.add(entry);
        }
        return believed;
    }

    /// One that is too low would let retention delete the segment before its time.
    private static boolean hasLikelyTimestamp(SegmentFacts before, RecordBatch batch) {
        return batch.maxTimestamp()
                >= (batch.hasAppendTime()
                        ? before.maxTimestamp() - CLOCK_SLACK_MILLIS
                        : batch.baseTimestamp());
    }

    private static boolean isInRange(SegmentFacts before, RecordBatch batch) {
        return batch.lastOffset() >= batch.baseOffset()
                && batch.lastOffset() - before.baseOffset() <= Integer.MAX_VALUE;
    }
}
