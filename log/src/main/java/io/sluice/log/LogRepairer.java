package io.sluice.log;

import io.sluice.log.repair.SegmentRepair;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SegmentChain;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SegmentSwap;
import io.sluice.log.segment.Verification;
import io.sluice.log.state.LeaderEpochs;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The owner's side of scrubbing and repair: which closed segment is to be looked at or mended next, and putting a mended one into the chain. Owned by its shard.
final class LogRepairer {
    private final LogFolder folder;
    private final SegmentChain chain;
    private final LeaderEpochs epochs;

    LogRepairer(LogFolder folder, SegmentChain chain, LeaderEpochs epochs) {
        this.folder = folder;
        this.chain = chain;
        this.epochs = epochs;
    }

    /// Null behind the last closed segment.
    @Nullable Verification scrub(long segmentBase, int position, int bytes) {
        for (int i = 0; i < chain.count(); i++) {
            Segment segment = chain.at(i);
            if (segment.baseOffset() >= segmentBase && segment.isSealed()) {
                int from = segment.baseOffset() == segmentBase ? position : 0;
                if (from < segment.sizeInBytes()) {
                    return Verification.ofStretch(segment, epochs.check(), from, bytes);
                }
            }
        }
        return null;
    }

    List<Damage> damages() {
        List<Damage> all = new ArrayList<>(0);
        for (int i = 0; i < chain.count(); i++) {
            all.addAll(chain.at(i).damages());
        }
        return all;
    }

    /// True when the last segment is damaged and still open: it has to be closed before it can be mended.
    boolean isLastDamaged() {
        Segment last = chain.findLast();
        return last != null && !last.isSealed() && !last.damages().isEmpty();
    }

    /// Null when no closed segment below the limit is damaged.
    @Nullable SegmentRepair begin(long limitOffset, long logEnd, int indexIntervalBytes) {
        for (int i = 0; i < chain.count(); i++) {
            Segment segment = chain.at(i);
            long end = i + 1 < chain.count() ? chain.at(i + 1).baseOffset() : logEnd;
            if (segment.isSealed() && !segment.damages().isEmpty() && end <= limitOffset) {
                return new SegmentRepair(
                        segment, segment.facts().endingAt(end), epochs.check(), indexIntervalBytes);
            }
        }
        return null;
    }

    /// Throws [io.sluice.env.DiskException] when a rename fails: nobody knows then which files are in place.
    RepairAftermath complete(SegmentRepair repair) {
        Segment old = repair.segment();
        SegmentFacts repaired = repair.repaired();
        boolean gone = !chain.contains(old);
        if (!gone) {
            old.rest();
            if (repaired != null) {
                SegmentSwap.swapIn(folder, repaired, List.of(old.baseOffset()));
            }
            SegmentFacts facts = repaired == null ? old.facts() : repaired;
            chain.replace(List.of(old), List.of(new Segment(folder, facts, null)));
        }
        return new RepairAftermath(folder, old.baseOffset(), gone ? repaired : null);
    }
}
