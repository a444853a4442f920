package io.sluice.log;

import io.sluice.env.Clock;
import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.log.AppendResult.Reason;
import io.sluice.log.AppendResult.Rejected;
import io.sluice.log.recovery.DurablePoint;
import io.sluice.log.recovery.RecoveredLog;
import io.sluice.log.segment.ActiveSegment;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.RoomAhead;
import io.sluice.log.segment.Seal;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SegmentChain;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SparseIndex;
import io.sluice.log.state.EpochNames;
import io.sluice.log.state.LeaderEpochs.Entry;
import io.sluice.log.state.LogSnapshot;
import io.sluice.record.Invariant;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The writing end of a log: puts batches that already have their offsets into the active segment, begins new segments, and gathers what a flush has to
/// make durable. Owned by its shard.
final class LogWriter {
    private final LogFolder folder;
    private final Clock clock;
    private final SegmentChain chain;
    private final Durability durability;
    private final List<Full> full = new ArrayList<>(0);
    private @Nullable ActiveSegment active;
    private long activeSinceMillis;
    private boolean folderExists;
    private int namedEpoch;
    private long endOffset;
    private long bytesSinceSidecars;

    /// A full segment that is not sealed yet.
    ///
    /// @param snapshot null when the state at its end is not known any more, after a crash
    /// @param durable its bytes are, only the index found no room; tried again with the next flush
    private record Full(
            Segment segment, SparseIndex index, @Nullable LogSnapshot snapshot, boolean durable) {}

    LogWriter(LogFolder folder, Clock clock, RecoveredLog recovered, Durability durability) {
        this.folder = folder;
        this.clock = clock;
        this.chain = recovered.chain();
        this.durability = durability;
        this.active = recovered.active();
        this.activeSinceMillis = clock.wallMillis();
        this.folderExists = !chain.isEmpty();
        this.namedEpoch = recovered.state().epochs().latest();
        this.endOffset = recovered.endOffset();
        // What was replayed above the newest snapshot would have to be replayed again.
        this.bytesSinceSidecars = recovered.state().bytes();
        for (Segment segment : recovered.unsealed()) {
            SparseIndex index = segment.index();
            full.add(new Full(segment, index == null ? new SparseIndex() : index, null, false));
        }
    }

    long endOffset() {
        return endOffset;
    }

    @Nullable ActiveSegment active() {
        return active;
    }

    /// Writes with one call. Null when it worked; otherwise nothing of it is in the log.
    ///
    /// @param state what the log knows at its present end, asked for when a segment is full
    @Nullable Rejected write(
            ByteBuffer bytes,
            List<RecordBatch> batches,
            long nowMillis,
            TopicSettings settings,
            Supplier<LogSnapshot> state) {
        ActiveSegment current = active;
        if (current != null
                && RollPolicy.shouldRoll(
                        current.segment().facts(),
                        activeSinceMillis,
                        batches,
                        bytes.remaining(),
                        nowMillis,
                        settings)) {
            roll(state);
            current = null;
        }
        int namedBefore = namedEpoch;
        try {
            nameEpochs(batches);
            if (current == null) {
                current = begin(bytes, nowMillis);
            } else {
                current.write(bytes, clock.monotonicNanos());
            }
        } catch (DiskException e) {
            return refused(namedEpoch == namedBefore ? e : unname(namedBefore, e));
        }
        try {
            for (RecordBatch batch : batches) {
                current.note(batch, settings.segments().indexIntervalBytes());
            }
        } catch (RuntimeException bug) {
            durability.close("a batch was written that does not belong there");
            throw bug;
        }
        endOffset = batches.getLast().nextOffset();
        bytesSinceSidecars += bytes.remaining();
        return null;
    }

    /// Closes the active segment; the next append begins a new one.
    void roll(Supplier<LogSnapshot> state) {
        ActiveSegment current = active;
        if (current == null || current.sizeInBytes() == 0) {
            return;
        }
        Segment segment = current.segment();
        SparseIndex index = segment.index();
        Invariant.check(index != null, "an active segment without an index");
        if (index != null) {
            full.add(new Full(segment, index, state.get(), false));
        }
        active = null;
        bytesSinceSidecars = 0;
    }

    void rollIfOld(TopicSettings settings, Supplier<LogSnapshot> state) {
        ActiveSegment current = active;
        if (current != null) {
            SegmentFacts facts = current.segment().facts();
            if (RollPolicy.isOld(
                    facts, activeSinceMillis, facts.maxTimestamp(), clock.wallMillis(), settings)) {
                roll(state);
            }
        }
    }

    /// Removes the oldest segments from the log.
    SegmentDeletion takeOut(int count, TopicSettings.Retention settings) {
        List<Long> bases = new ArrayList<>(count);
        for (Segment segment : chain.removeFirst(count)) {
            segment.rest();
            bases.add(segment.baseOffset());
        }
        long remembered = -1;
        if (chain.isEmpty()) {
            beginEmpty();
            remembered = endOffset;
        }
        return new SegmentDeletion(folder, bases, remembered, settings.fileDeleteDelayMillis());
    }

    /// An active segment without a byte in it: the only one left remembers the log's end.
    private void beginEmpty() {
        ActiveSegment fresh = ActiveSegment.begin(folder, endOffset);
        durability.nameChanged();
        chain.add(fresh.segment());
        active = fresh;
        activeSinceMillis = clock.wallMillis();
    }

    /// Once in a leader's term: a second witness for what no checksum covers.
    private void nameEpochs(List<RecordBatch> batches) {
        for (RecordBatch batch : batches) {
            if (batch.leaderEpoch() > namedEpoch) {
                createFolder();
                Entry entry = new Entry(batch.leaderEpoch(), batch.baseOffset());
                EpochNames.create(folder, entry);
                durability.nameChanged();
                namedEpoch = batch.leaderEpoch();
            }
        }
    }

    /// What was not written has no epoch: its place may be taken by a batch of an earlier leader, which the name would make look wrong after a restart.
    private DiskException unname(int namedBefore, DiskException cause) {
        try {
            EpochNames.forgetFrom(folder, folder.disk().list(folder.directory()), endOffset);
            durability.nameChanged();
            namedEpoch = namedBefore;
            return cause;
        } catch (DiskException e) {
            return e;
        }
    }

    private void createFolder() {
        if (!folderExists) {
            folder.create();
            durability.folderCreated();
            folderExists = true;
        }
    }

    private ActiveSegment begin(ByteBuffer bytes, long nowMillis) {
        createFolder();
        ActiveSegment fresh = ActiveSegment.begin(folder, endOffset);
        try {
            fresh.write(bytes, clock.monotonicNanos());
        } catch (DiskException e) {
            fresh.rest();
            throw e;
        }
        durability.nameChanged();
        chain.add(fresh.segment());
        active = fresh;
        activeSinceMillis = nowMillis;
        return fresh;
    }

    private Rejected refused(DiskException cause) {
        if (cause.kind() == DiskException.Kind.FULL) {
            return new Rejected(
                    Reason.DISK_FULL,
                    "The disk is full; make room or lower retention: " + cause.getMessage());
        }
        durability.fail(cause);
        return new Rejected(Reason.OFFLINE, "The log went offline: " + cause.getMessage());
    }

    boolean needsFlush() {
        return durability.offline() == null
                && (durability.durable().offset() < endOffset
                        || full.stream().anyMatch(segment -> !segment.durable()));
    }

    /// Everything that is not durable yet; null when there is nothing.
    ///
    /// @param goesOn whether more will be written, so that room is made for it
    @Nullable Flush beginFlush(
            TopicSettings settings, boolean goesOn, Supplier<LogSnapshot> state) {
        if (!needsFlush()) {
            return null;
        }
        List<Flush.Rolled> rolled = new ArrayList<>(full.size());
        try {
            long nanos = clock.monotonicNanos();
            for (Full segment : full) {
                Seal seal = new Seal(segment.segment(), segment.index(), nanos);
                rolled.add(new Flush.Rolled(seal, segment.snapshot()));
            }
            Flush.ActivePart part = activePart(settings, goesOn, nanos, state);
            durability.begin();
            return new Flush(folder, rolled, part, takeNames(), endPoint());
        } catch (DiskException e) {
            // A file that cannot be opened cannot be made durable.
            rolled.forEach(segment -> segment.seal().release());
            durability.fail(e);
            return null;
        }
    }

    private Flush.@Nullable ActivePart activePart(
            TopicSettings settings, boolean goesOn, long nanos, Supplier<LogSnapshot> state) {
        ActiveSegment current = active;
        if (current == null || durability.durable().offset() == endOffset) {
            return null;
        }
        DiskFile file = current.segment().file(nanos);
        file.retain();
        if (goesOn) {
            makeRoom(current, settings, nanos);
        }
        return new Flush.ActivePart(file, dueSidecars(state));
    }

    /// Only where every acknowledgement waits for a force.
    private void makeRoom(ActiveSegment current, TopicSettings settings, long nowNanos) {
        if (settings.flush() != TopicSettings.FlushPolicy.FSYNC) {
            return;
        }
        DurablePoint durable = durability.durable();
        long forced =
                durable.segmentBase() == current.segment().baseOffset() ? durable.position() : 0;
        long target =
                RoomAhead.target(
                        current.sizeInBytes(),
                        current.sizeInBytes() - forced,
                        current.filledBytes(),
                        settings.segments().bytes(),
                        settings.profile() == TopicSettings.Profile.LATENCY);
        if (target > 0) {
            current.fillAhead(target, nowNanos);
        }
    }

    private @Nullable Sidecars dueSidecars(Supplier<LogSnapshot> state) {
        ActiveSegment current = active;
        return current != null && Sidecars.areDue(bytesSinceSidecars, current.sizeInBytes())
                ? sidecars(state)
                : null;
    }

    /// What makes opening this log again cheap; null when it is cheap as it is.
    @Nullable Sidecars worthwhileSidecars(Supplier<LogSnapshot> state) {
        return bytesSinceSidecars >= Sidecars.WORTHWHILE_BYTES ? sidecars(state) : null;
    }

    private @Nullable Sidecars sidecars(Supplier<LogSnapshot> state) {
        ActiveSegment current = active;
        SparseIndex index = current == null ? null : current.segment().index();
        if (current == null || index == null) {
            return null;
        }
        bytesSinceSidecars = 0;
        return new Sidecars(current.segment().facts(), index.view(), state.get());
    }

    private Flush.Names takeNames() {
        if (!durability.namesChanged()) {
            return Flush.Names.UNCHANGED;
        }
        boolean withFolder = durability.isFolderCreated();
        durability.namesTaken();
        return withFolder ? Flush.Names.FOLDER_AND_PARENT : Flush.Names.FOLDER;
    }

    void complete(Flush flush) {
        durability.complete(flush.end());
        for (Flush.Rolled rolled : flush.rolled()) {
            Segment segment = rolled.seal().segment();
            boolean sealed = rolled.seal().complete();
            full.removeIf(waiting -> sealed && waiting.segment().equals(segment));
            full.replaceAll(
                    waiting ->
                            waiting.segment().equals(segment)
                                    ? new Full(segment, waiting.index(), waiting.snapshot(), true)
                                    : waiting);
        }
    }

    /// Lets go of files that nobody has used for a while. An active segment only when all of it is durable.
    void rest(long idleSinceNanos) {
        for (int i = 0; i < chain.count(); i++) {
            Segment segment = chain.at(i);
            if (segment.isOpen()
                    && segment.isSealed()
                    && segment.lastUsedNanos() <= idleSinceNanos) {
                segment.rest();
            }
        }
        ActiveSegment current = active;
        if (current != null
                && current.segment().isOpen()
                && current.segment().lastUsedNanos() <= idleSinceNanos
                && !durability.isFlushing()
                && durability.durable().offset() == endOffset) {
            current.rest();
        }
    }

    /// Closes every file; workers that retained one go on.
    void closeFiles() {
        ActiveSegment current = active;
        if (current != null) {
            current.rest();
        }
        for (int i = 0; i < chain.count(); i++) {
            chain.at(i).rest();
        }
    }

    /// Where the log ends at this moment.
    DurablePoint endPoint() {
        Segment last = chain.findLast();
        return last == null
                ? new DurablePoint(endOffset, endOffset, 0)
                : new DurablePoint(endOffset, last.baseOffset(), last.sizeInBytes());
    }
}
