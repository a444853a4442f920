package io.sluice.log.state;

import io.sluice.log.segment.EpochCheck;
import java.util.ArrayList;
import java.util.List;

/// Where each leader's term begins in the log (KIP-101): lets a follower find the point from which its log differs.
///
/// Also kept in every batch, so that it can be rebuilt; see [LogSnapshot]. Owned by its shard.
public final class LeaderEpochs {
    private final List<Entry> entries;

    /// The first batch of an epoch has this offset.
    public record Entry(int epoch, long startOffset) {}

    /// Where an epoch ends. Both -1 when the epoch is not known.
    public record End(int epoch, long endOffset) {
        public static final End UNKNOWN = new End(-1, -1);
    }

    public LeaderEpochs(List<Entry> entries) {
        this.entries = new ArrayList<>(entries);
    }

    /// The epoch of the last batch, or -1.
    public int latest() {
        return entries.isEmpty() ? -1 : entries.getLast().epoch();
    }

    /// A batch of this epoch was appended. Epochs never go back.
    public void note(int epoch, long offset) {
        if (epoch > latest()) {
            entries.add(new Entry(epoch, offset));
        }
    }

    /// An epoch that was found in the log, and may begin before others that are known.
    public void learn(Entry entry) {
        int at = 0;
        while (at < entries.size() && entries.get(at).startOffset() <= entry.startOffset()) {
            at++;
        }
        if (at < entries.size() && entries.get(at).epoch() == entry.epoch()) {
            entries.remove(at);
        }
        entries.add(at, entry);
    }

    /// The end of the largest known epoch that is not above the one asked for: where that leader's log ended.
    public End endOf(int epoch, long logEndOffset) {
        if (entries.isEmpty() || epoch < 0 || epoch > latest()) {
            return End.UNKNOWN;
        }
        if (epoch == latest()) {
            return new End(epoch, logEndOffset);
        }
        if (epoch < entries.getFirst().epoch()) {
            return new End(epoch, entries.getFirst().startOffset());
        }
        int next = 0;
        while (entries.get(next).epoch() <= epoch) {
            next++;
        }
        return new End(entries.get(next - 1).epoch(), entries.get(next).startOffset());
    }

    /// The epoch of the batch at this offset, or -1.
    public int epochAt(long offset) {
        return epochAt(entries, offset);
    }

    private static int epochAt(List<Entry> entries, long offset) {
        int epoch = -1;
        for (Entry entry : entries) {
            if (entry.startOffset() > offset) {
                break;
            }
            epoch = entry.epoch();
        }
        return epoch;
    }

    public boolean beginsAt(long offset) {
        for (Entry entry : entries) {
            if (entry.startOffset() == offset) {
                return true;
            }
        }
        return false;
    }

    /// What is known at this moment, for a worker: the epoch at an offset, or any that is not later than all that are known behind it.
    public EpochCheck check() {
        List<Entry> known = entries();
        return (epoch, baseOffset) -> allows(known, epoch, baseOffset);
    }

    /// As [#check], of what is known at the time of each call.
    public boolean allows(int epoch, long baseOffset) {
        return allows(entries, epoch, baseOffset);
    }

    private static boolean allows(List<Entry> known, int epoch, long baseOffset) {
        int expected = epochAt(known, baseOffset);
        return expected >= 0
                ? epoch == expected
                : epoch >= 0 && (known.isEmpty() || epoch <= known.getFirst().epoch());
    }

    /// The log was cut: nothing at or behind this offset is left.
    public void cutEnd(long endOffset) {
        entries.removeIf(entry -> entry.startOffset() >= endOffset);
    }

    /// The log begins here now.
    public void cutStart(long startOffset) {
        int epoch = epochAt(startOffset);
        boolean older = entries.removeIf(entry -> entry.startOffset() <= startOffset);
        if (older) {
            entries.addFirst(new Entry(epoch, startOffset));
        }
    }

    public List<Entry> entries() {
        return List.copyOf(entries);
    }
}
