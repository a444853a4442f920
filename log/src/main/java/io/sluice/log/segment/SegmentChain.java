package io.sluice.log.segment;

import io.sluice.record.Invariant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The segments of a log, oldest first, without overlap: each begins at or behind the end of the one before. Owned by its shard.
public final class SegmentChain {
    private final ArrayList<Segment> segments;

    public SegmentChain(List<Segment> segments) {
        this.segments = new ArrayList<>(segments.size());
        segments.forEach(this::add);
    }

    public void add(Segment segment) {
        Invariant.check(
                segments.isEmpty() || segment.baseOffset() >= segments.getLast().endOffset(),
                "a segment begins before the end of the one before",
                segment.baseOffset(),
                segments.isEmpty() ? 0 : segments.getLast().endOffset());
        segments.add(segment);
    }

    public boolean isEmpty() {
        return segments.isEmpty();
    }

    public int count() {
        return segments.size();
    }

    public Segment at(int number) {
        return segments.get(number);
    }

    public List<Segment> all() {
        return List.copyOf(segments);
    }

    public boolean contains(Segment segment) {
        return segments.contains(segment);
    }

    public long sizeInBytes() {
        long sum = 0;
        for (Segment segment : segments) {
            sum += segment.sizeInBytes();
        }
        return sum;
    }

    /// The number of the last segment that begins at or before the offset; 0 when all begin behind it.
    public int numberFor(long offset) {
        int low = 0;
        int high = segments.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (segments.get(middle).baseOffset() <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return Math.max(0, low - 1);
    }

    public @Nullable Segment findLast() {
        return segments.isEmpty() ? null : segments.getLast();
    }

    /// Takes the first segments out of the chain.
    public List<Segment> removeFirst(int count) {
        List<Segment> head = segments.subList(0, count);
        List<Segment> removed = List.copyOf(head);
        head.clear();
        return removed;
    }

    /// Takes the segments from this number on out of the chain.
    public List<Segment> removeFrom(int number) {
        List<Segment> tail = segments.subList(number, segments.size());
        List<Segment> removed = List.copyOf(tail);
        tail.clear();
        return removed;
    }

    /// Puts others in the place of neighbouring segments, after a compaction.
    public void replace(List<Segment> old, List<Segment> with) {
        int first = segments.indexOf(old.getFirst());
        Invariant.check(first >= 0, "the segments to replace are gone");
        for (int i = 0; i < old.size(); i++) {
            Invariant.check(
                    segments.get(first + i).equals(old.get(i)),
                    "the segments to replace are not neighbours");
        }
        segments.subList(first, first + old.size()).clear();
        segments.addAll(first, with);
    }
}
