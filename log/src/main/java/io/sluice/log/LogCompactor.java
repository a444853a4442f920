package io.sluice.log;

import io.sluice.log.compaction.Compaction;
import io.sluice.log.compaction.CompactionPolicy;
import io.sluice.log.producer.ProducerLedger;
import io.sluice.log.producer.ProducerState;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SegmentChain;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SegmentSwap;
import io.sluice.log.state.LeaderEpochs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The owner's side of compaction: decides, and puts the result into the chain. Owned by its shard.
final class LogCompactor {
    private final LogFolder folder;
    private final SegmentChain chain;
    private final ProducerLedger ledger;
    private final LeaderEpochs epochs;
    private long compactedTo;

    LogCompactor(
            LogFolder folder,
            SegmentChain chain,
            ProducerLedger ledger,
            LeaderEpochs epochs,
            long compactedTo) {
        this.folder = folder;
        this.chain = chain;
        this.ledger = ledger;
        this.epochs = epochs;
        this.compactedTo = compactedTo;
    }

    long compactedTo() {
        return compactedTo;
    }

    @Nullable Compaction begin(
            TopicSettings settings,
            long startOffset,
            long limitOffset,
            int mapBytes,
            long nowMillis) {
        TopicSettings.Compaction wanted = settings.compaction();
        CompactionPolicy.Range range =
                new CompactionPolicy(
                                wanted.minLagMillis(),
                                wanted.maxLagMillis(),
                                wanted.minDirtyRatio())
                        .decide(soundSegments(), compactedTo, limitOffset, nowMillis);
        if (range == null) {
            return null;
        }
        Compaction.Limits limits =
                new Compaction.Limits(
                        mapBytes,
                        settings.segments().bytes(),
                        settings.segments().indexIntervalBytes(),
                        wanted.deleteRetentionMillis());
        Compaction.State state = new Compaction.State(startOffset, epochs.check(), recentOffsets());
        return new Compaction(folder, range, limits, state, nowMillis);
    }

    private Map<Long, Set<Long>> recentOffsets() {
        Map<Long, Set<Long>> recent = new HashMap<>();
        for (ProducerState producer : ledger.describe()) {
            recent.put(
                    producer.producerId(),
                    producer.batches().stream()
                            .map(ProducerState.Batch::lastOffset)
                            .collect(Collectors.toSet()));
        }
        return recent;
    }

    /// Up to the first with a known damage: what cannot be read cannot be compacted.
    private List<SegmentFacts> soundSegments() {
        List<SegmentFacts> facts = new ArrayList<>(chain.count());
        for (int i = 0; i < chain.count() && chain.at(i).damages().isEmpty(); i++) {
            facts.add(chain.at(i).facts());
        }
        return facts;
    }

    /// Throws [DiskException] when a rename fails: nobody knows then which files are in place.
    CompactionAftermath complete(Compaction compaction) {
        Damage damage = compaction.damage();
        if (damage != null) {
            noteDamage(damage);
        }
        List<List<Segment>> old = new ArrayList<>();
        for (Compaction.Replacement replacement : compaction.replacements()) {
            List<Segment> segments = find(replacement.old());
            if (segments.isEmpty()) {
                return CompactionAftermath.discarded(folder, compaction.compacted());
            }
            old.add(segments);
        }
        List<Long> replaced = new ArrayList<>();
        for (int i = 0; i < old.size(); i++) {
            SegmentFacts compacted = compaction.replacements().get(i).compacted();
            List<Long> bases = old.get(i).stream().map(Segment::baseOffset).toList();
            old.get(i).forEach(Segment::rest);
            SegmentSwap.swapIn(folder, compacted, bases);
            chain.replace(old.get(i), List.of(new Segment(folder, compacted, null)));
            replaced.addAll(bases);
        }
        compactedTo = Math.max(compactedTo, compaction.compactedTo());
        return CompactionAftermath.swapped(folder, compactedTo, replaced);
    }

    /// The segments as they were when the compaction began; empty when one of them is gone.
    private List<Segment> find(List<SegmentFacts> facts) {
        List<Segment> found = new ArrayList<>(facts.size());
        int number = chain.numberFor(facts.getFirst().baseOffset());
        for (SegmentFacts each : facts) {
            if (number >= chain.count() || !chain.at(number).facts().equals(each)) {
                return List.of();
            }
            found.add(chain.at(number));
            number++;
        }
        return found;
    }

    private void noteDamage(Damage damage) {
        for (int i = 0; i < chain.count(); i++) {
            if (chain.at(i).path().equals(damage.file())) {
                chain.at(i).addDamage(damage);
            }
        }
    }
}
