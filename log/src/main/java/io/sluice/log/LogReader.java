package io.sluice.log;

import io.sluice.env.Clock;
import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.env.FileSlice;
import io.sluice.log.segment.ActiveSegment;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.RangeFinder;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SegmentChain;
import io.sluice.log.segment.SparseIndex;
import io.sluice.log.segment.Verification;
import io.sluice.log.state.LeaderEpochs;
import org.jspecify.annotations.Nullable;

/// The reading end of a log: from an offset to a range of one file. Owned by its shard.
final class LogReader {
    static final ReadResult NOTHING = new ReadResult.Nothing();

    private final LogFolder folder;
    private final SegmentChain chain;
    private final LeaderEpochs epochs;
    private final Clock clock;

    LogReader(LogFolder folder, SegmentChain chain, LeaderEpochs epochs, Clock clock) {
        this.folder = folder;
        this.chain = chain;
        this.epochs = epochs;
        this.clock = clock;
    }

    /// The caller has checked that the offset lies before the limit and the limit not behind the log's end.
    ReadResult read(
            long fromOffset,
            int maxBytes,
            long limitOffset,
            boolean atLeastOneBatch,
            @Nullable ActiveSegment active) {
        int first = chain.numberFor(fromOffset);
        for (int number = first; number < chain.count(); number++) {
            Segment segment = chain.at(number);
            if (number == first && segment.baseOffset() > fromOffset) {
                return missing(fromOffset, segment.baseOffset());
            }
            if (segment.baseOffset() >= limitOffset) {
                return NOTHING;
            }
            ReadResult result =
                    readSegment(
                            segment, fromOffset, maxBytes, limitOffset, atLeastOneBatch, active);
            if (result != null) {
                return result;
            }
            if (number + 1 < chain.count()
                    && segment.endOffset() != chain.at(number + 1).baseOffset()) {
                return missing(segment.endOffset(), chain.at(number + 1).baseOffset());
            }
        }
        Segment last = chain.findLast();
        return last == null || last.endOffset() <= fromOffset
                ? missing(fromOffset, limitOffset)
                : NOTHING;
    }

    /// Never passed over in silence: whoever asks would take the records for never written.
    private ReadResult missing(long from, long to) {
        return new ReadResult.Damaged(
                folder.path(from, LogFolder.LOG),
                0,
                "The offsets " + from + " to " + to + " are in no file.");
    }

    /// Null when all of the segment lies before the offset.
    private @Nullable ReadResult readSegment(
            Segment segment,
            long fromOffset,
            int maxBytes,
            long limitOffset,
            boolean atLeastOneBatch,
            @Nullable ActiveSegment active) {
        SparseIndex index = segment.index();
        if (index == null) {
            return new ReadResult.NeedsVerification(
                    Verification.forRead(segment, epochs.check(), fromOffset, -1, maxBytes));
        }
        try {
            DiskFile file = segment.file(clock.monotonicNanos());
            RangeFinder finder = RangeFinder.in(segment, index, active, file);
            return switch (finder.find(fromOffset, maxBytes, limitOffset, atLeastOneBatch)) {
                case RangeFinder.Result.Range(int from, int to) -> {
                    file.retain();
                    yield new ReadResult.Found(new FileSlice(file, from, to - from));
                }
                case RangeFinder.Result.Unverified(int from) ->
                        new ReadResult.NeedsVerification(
                                Verification.forRead(
                                        segment, epochs.check(), fromOffset, from, maxBytes));
                case RangeFinder.Result.Broken(Damage damage) ->
                        new ReadResult.Damaged(damage.file(), damage.position(), damage.sentence());
                case RangeFinder.Result.Nothing() -> NOTHING;
                case RangeFinder.Result.Behind() -> null;
            };
        } catch (DiskException e) {
            return new ReadResult.Damaged(segment.path(), 0, String.valueOf(e.getMessage()));
        }
    }
}
