package io.sluice.log.segment;

import io.sluice.env.DiskFile;
import io.sluice.record.Invariant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One file of batches, and what is known about it.
///
/// Costs about a hundred bytes while nobody reads it: the index is loaded and the file opened on demand, and both are let go
/// when idle. Owned by its shard.
public final class Segment {
    private final LogFolder folder;
    private final VerifiedRanges verified = new VerifiedRanges();
    private SegmentFacts facts;
    private @Nullable SparseIndex index;
    private List<Damage> damages = List.of();
    private @Nullable DiskFile file;
    private long lastUsedNanos;

    /// @param index null when it has to be loaded before reading
    public Segment(LogFolder folder, SegmentFacts facts, @Nullable SparseIndex index) {
        this.folder = folder;
        this.facts = facts;
        this.index = index;
    }

    public SegmentFacts facts() {
        return facts;
    }

    public long baseOffset() {
        return facts.baseOffset();
    }

    public long endOffset() {
        return facts.endOffset();
    }

    public int sizeInBytes() {
        return facts.sizeInBytes();
    }

    public boolean isSealed() {
        return facts.sealed();
    }

    public LogFolder folder() {
        return folder;
    }

    public String path() {
        return folder.path(baseOffset(), LogFolder.LOG);
    }

    /// Null for a segment that nobody has read since it was opened or went idle.
    public @Nullable SparseIndex index() {
        return index;
    }

    public VerifiedRanges verified() {
        return verified;
    }

    public List<Damage> damages() {
        return damages;
    }

    /// The damage that begins exactly here.
    public @Nullable Damage findDamageAt(int position) {
        for (Damage damage : damages) {
            if (damage.position() == position) {
                return damage;
            }
        }
        return null;
    }

    /// Of two that begin at the same place the longer one stays, so that a reader always gets behind it.
    public void addDamage(Damage damage) {
        Damage known = findDamageAt((int) damage.position());
        if (known == null || known.endPosition() < damage.endPosition()) {
            List<Damage> more = new ArrayList<>(damages);
            more.remove(known);
            more.add(damage);
            damages = List.copyOf(more);
            verified.remove((int) damage.position(), (int) damage.endPosition());
        }
    }

    /// Everything that is in the segment was checked by this process when it was written.
    public void markAllVerified() {
        verified.add(0, sizeInBytes());
    }

    public void learn(SegmentFacts newFacts) {
        Invariant.check(
                newFacts.baseOffset() == facts.baseOffset(),
                "facts of another segment",
                newFacts.baseOffset(),
                facts.baseOffset());
        facts = newFacts;
    }

    public void learn(SparseIndex newIndex) {
        index = newIndex;
    }

    /// The open file; opened when needed. The caller retains it to use it beyond this call.
    public DiskFile file(long nowNanos) {
        lastUsedNanos = nowNanos;
        DiskFile open = file;
        if (open == null) {
            open = isSealed() ? folder.disk().openForReading(path()) : folder.disk().open(path());
            file = open;
        }
        return open;
    }

    public boolean isOpen() {
        return file != null;
    }

    public long lastUsedNanos() {
        return lastUsedNanos;
    }

    /// Gives back the file handle and, for a sealed segment, the memory of the index.
    public void rest() {
        DiskFile open = file;
        file = null;
        if (open != null) {
            open.close();
        }
        if (isSealed()) {
            index = null;
        }
    }

    @Override
    public String toString() {
        return "Segment[" + path() + ", " + facts + "]";
    }
}
