package io.sluice.log.recovery;

import io.sluice.env.DiskException;
import io.sluice.log.recovery.SegmentRecovery.DurableMark;
import io.sluice.log.segment.ActiveSegment;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.IndexFile;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.OffsetFile;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SegmentChain;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.TopicMark;
import io.sluice.log.state.EpochNames;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.log.state.LogSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Opens a partition's folder: trusts what is sealed, recovers the rest, replays the state. Blocking; cost is proportional to what is not known to be
/// durable, not to the data.
public final class Recovery {
    /// A log that is opened often and seldom written collects names of epochs; from time to time a snapshot takes them in.
    private static final int MANY_EPOCHS = 16;

    private final LogFolder folder;
    private final @Nullable RecoveryPoint known;
    private final int indexIntervalBytes;
    private final boolean gapsAllowed;
    private final long nowMillis;

    private final List<Segment> segments = new ArrayList<>();
    private final List<Segment> unsealed = new ArrayList<>();
    private final List<Damage> damages = new ArrayList<>();
    private final List<MissingOffsets> missing = new ArrayList<>();
    private final List<String> tornFiles = new ArrayList<>();
    private @Nullable ActiveSegment active;
    private @Nullable DurablePoint firstNotDurable;
    private long scanned;
    private long cut;
    private int rebuilt;

    /// @param gapsAllowed the topic is compacted, so that offsets may be missing
    public Recovery(
            LogFolder folder,
            @Nullable RecoveryPoint known,
            int indexIntervalBytes,
            boolean gapsAllowed,
            long nowMillis) {
        this.folder = folder;
        this.known = known;
        this.indexIntervalBytes = indexIntervalBytes;
        this.gapsAllowed = gapsAllowed;
        this.nowMillis = nowMillis;
    }

    public RecoveredLog run() {
        Set<String> names = Leftovers.clear(folder);
        if (!names.isEmpty()) {
            mark(names);
            folder.sync();
            folder.syncParent();
        }
        LogSnapshot newest = LogSnapshot.newest(folder, names);
        LeaderEpochs epochs = witnessed(newest, names);
        Succession succession = new Succession(epochs, gapsAllowed);
        recoverSegments(names, new SegmentRecovery.Rules(indexIntervalBytes, succession));
        findGaps();
        StateReplay state = StateReplay.run(folder, names, newest, epochs, segments, nowMillis);
        RecoveredLog log = assemble(names, state);
        ifThereIsRoom(
                () -> succession.learned().forEach(entry -> EpochNames.create(folder, entry)));
        if (EpochNames.in(names).size() >= MANY_EPOCHS
                && log.durable().offset() == log.endOffset()) {
            ifThereIsRoom(() -> takeInEpochs(state.snapshotAt(log.endOffset())));
        }
        return log;
    }

    /// A folder of a version that had no marks belongs to the first topic that opens it.
    private void mark(Set<String> names) {
        if (TopicMark.find(names) == null) {
            ifThereIsRoom(folder::create);
        }
    }

    private void takeInEpochs(LogSnapshot snapshot) {
        snapshot.write(folder, true);
        LogSnapshot.prune(folder);
        folder.sync();
    }

    /// A full disk is no reason not to start. True when there was room.
    private static boolean ifThereIsRoom(Runnable write) {
        try {
            write.run();
            return true;
        } catch (DiskException e) {
            if (e.kind() != DiskException.Kind.FULL) {
                throw e;
            }
            return false;
        }
    }

    /// The epochs that something else than a batch knows of.
    private static LeaderEpochs witnessed(@Nullable LogSnapshot newest, Set<String> names) {
        LeaderEpochs epochs = new LeaderEpochs(newest == null ? List.of() : newest.epochs());
        EpochNames.in(names).forEach(entry -> epochs.note(entry.epoch(), entry.startOffset()));
        return epochs;
    }

    private void recoverSegments(Set<String> names, SegmentRecovery.Rules rules) {
        List<Long> bases = LogFolder.offsetsIn(names, LogFolder.LOG);
        List<@Nullable SegmentFacts> sealed = sealedFacts(bases, names);
        int lastSealed = lastSealed(sealed);
        for (int i = 0; i < bases.size(); i++) {
            SegmentFacts facts = sealed.get(i);
            if (isReplaced(bases.get(i))) {
                removeReplaced(bases.get(i));
                continue;
            }
            if (facts != null) {
                add(new Segment(folder, facts, null));
                continue;
            }
            long next = i + 1 < bases.size() ? bases.get(i + 1) : -1;
            boolean complete = i < lastSealed || wasCompacted(bases.get(i), next, names);
            DurableMark mark = durableMark(bases.get(i), next, complete);
            SegmentRecovery recovery = new SegmentRecovery(folder, bases.get(i), mark, rules);
            if (!take(recovery.run(names), mark, next)) {
                discard(bases.subList(i + 1, bases.size()));
                break;
            }
        }
        forgetDamagedIndex(names);
    }

    private List<@Nullable SegmentFacts> sealedFacts(List<Long> bases, Set<String> names) {
        List<@Nullable SegmentFacts> sealed = new ArrayList<>(bases.size());
        for (Long base : bases) {
            SegmentFacts facts =
                    names.contains(LogFolder.name(base, LogFolder.INDEX))
                            ? IndexFile.readFacts(folder, base)
                            : null;
            sealed.add(facts != null && facts.sealed() ? facts : null);
        }
        return sealed;
    }

    /// A compacted segment took its place, but the crash undid the renaming of this one.
    private boolean isReplaced(long base) {
        return !segments.isEmpty()
                && segments.getLast().isSealed()
                && base < segments.getLast().endOffset();
    }

    private void removeReplaced(long base) {
        folder.disk().delete(folder.path(base, LogFolder.INDEX));
        folder.disk().delete(folder.path(base, LogFolder.LOG));
        folder.sync();
    }

    private void add(Segment segment) {
        if (!segments.isEmpty() && segment.baseOffset() < segments.getLast().endOffset()) {
            damages.add(new Damage(segment.path(), 0, 0, "its offsets are in another file, too"));
        } else {
            segments.add(segment);
        }
    }

    private static int lastSealed(List<@Nullable SegmentFacts> sealed) {
        int last = sealed.size() - 1;
        while (last >= 0 && sealed.get(last) == null) {
            last--;
        }
        return last;
    }

    /// Returns false when the segment was cut: what follows it was never durable.
    ///
    /// @param next where the segment behind it begins, or -1 for the last
    private boolean take(SegmentRecovery.Result result, DurableMark mark, long next) {
        Segment segment = result.segment();
        add(segment);
        damages.addAll(segment.damages());
        if (result.soundEnd() >= 0) {
            missing.add(new MissingOffsets(result.soundEnd(), segment.endOffset(), null));
        }
        scanned += result.scanned();
        cut += result.cut();
        rebuilt += result.walked() > 0 ? 1 : 0;
        if (result.tornFile() != null) {
            tornFiles.add(result.tornFile());
        }
        if (firstNotDurable == null && result.durable().position() < segment.sizeInBytes()) {
            firstNotDurable =
                    new DurablePoint(
                            result.durable().offset(),
                            segment.baseOffset(),
                            result.durable().position());
        }
        boolean goesOn = next >= 0 && (mark.isEverything() || segment.endOffset() == next);
        // Nothing is appended behind damage: if its end was not known any more, it would take in
        // what
        // is sound.
        if (!goesOn && result.appendable() && segment.damages().isEmpty()) {
            active = new ActiveSegment(segment, result.index());
        } else if (result.appendable()) {
            unsealed.add(segment);
        }
        return goesOn || next < 0;
    }

    /// A compacted segment does not show where it ends, and its index is damaged: the next one shows it. Taken for torn, all behind it would be given up.
    private boolean wasCompacted(long base, long next, Set<String> names) {
        return gapsAllowed
                && next >= 0
                && names.contains(LogFolder.name(base, LogFolder.INDEX))
                && IndexFile.isDamaged(folder, base);
    }

    /// Of a segment that is written again: it must not be taken for a sign that the segment was complete.
    private void forgetDamagedIndex(Set<String> names) {
        if (active != null) {
            long base = active.segment().baseOffset();
            if (names.contains(LogFolder.name(base, LogFolder.INDEX))
                    && IndexFile.isDamaged(folder, base)) {
                folder.disk().delete(folder.path(base, LogFolder.INDEX));
                folder.sync();
            }
        }
    }

    private DurableMark durableMark(long base, long next, boolean complete) {
        RecoveryPoint point = known;
        if (complete || (point != null && base < point.segmentBase())) {
            return DurableMark.everything(next);
        }
        return point != null && base == point.segmentBase()
                ? new DurableMark(point.position(), point.durableOffset())
                : DurableMark.NOTHING;
    }

    private void discard(List<Long> bases) {
        for (Long base : bases) {
            String path = folder.path(base, LogFolder.LOG);
            folder.disk().rename(path, path + LogFolder.TORN);
            tornFiles.add(path + LogFolder.TORN);
            folder.disk().delete(folder.path(base, LogFolder.INDEX));
        }
        folder.sync();
    }

    /// A segment that is missing as a whole leaves a gap between its neighbours.
    private void findGaps() {
        for (int i = 1; i < segments.size(); i++) {
            long end = segments.get(i - 1).endOffset();
            long next = segments.get(i).baseOffset();
            if (end != next) {
                miss(end, next, "are in no file");
            }
        }
    }

    private void miss(long from, long to, String what) {
        String sentence = "the offsets " + from + " to " + to + " " + what;
        Damage damage = new Damage(folder.path(from, LogFolder.LOG), 0, 0, sentence);
        damages.add(damage);
        missing.add(new MissingOffsets(from, to, damage));
    }

    private RecoveredLog assemble(Set<String> names, StateReplay state) {
        long firstBase = segments.isEmpty() ? 0 : segments.getFirst().baseOffset();
        long end = segments.isEmpty() ? 0 : segments.getLast().endOffset();
        if (known != null && end < known.durableOffset()) {
            miss(end, known.durableOffset(), "were durable and are in no file");
            end = known.durableOffset();
            active = null;
        }
        state.epochs().cutEnd(end);
        long start = Math.max(firstBase, remembered(names, OffsetFile.START, end));
        DurablePoint durable = firstNotDurable != null ? firstNotDurable : endPoint(end);
        RecoveryReport report =
                new RecoveryReport(scanned, cut, tornFiles, rebuilt, state.batches(), damages);
        return new RecoveredLog(
                new SegmentChain(segments),
                active,
                unsealed,
                state,
                start,
                end,
                remembered(names, OffsetFile.COMPACTED, end),
                durable,
                List.copyOf(missing),
                report);
    }

    /// One that lies behind the end, of a log that lost its tail, is lowered for good: otherwise what is appended now would count as deleted or
    /// compacted after the next start.
    private long remembered(Set<String> names, String file, long end) {
        long offset = names.contains(file) ? OffsetFile.read(folder, file) : 0;
        boolean lowered = offset > end && ifThereIsRoom(() -> OffsetFile.write(folder, file, end));
        if (!lowered && names.contains(file) && (offset > end || offset == 0)) {
            // No room, or damaged: it says nothing from now on, either.
            folder.disk().delete(folder.path(file));
            folder.sync();
        }
        return Math.min(offset, end);
    }

    private DurablePoint endPoint(long end) {
        if (segments.isEmpty()) {
            return new DurablePoint(end, end, 0);
        }
        Segment last = segments.getLast();
        return new DurablePoint(end, last.baseOffset(), last.sizeInBytes());
    }
}
