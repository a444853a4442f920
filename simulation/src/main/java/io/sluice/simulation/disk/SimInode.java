package io.sluice.simulation.disk;

import io.sluice.simulation.SimEntropy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// A file without a name: what programs see, what is durable, and the changes between the two in their order.
///
/// Owned by its disk.
final class SimInode implements SimNode {
    private static final int SECTOR_BYTES = 512;

    private final Image current = new Image();
    private final Image durable = new Image();
    private final List<Pending> pending = new ArrayList<>();
    private final List<BadRange> unreadable = new ArrayList<>();
    private final List<Rot> rotten = new ArrayList<>();
    private int handles;
    private int rewrites;
    private boolean linked = true;

    int size() {
        return current.size();
    }

    int durableSize() {
        return durable.size();
    }

    void write(int position, byte[] bytes) {
        rewrites += position < current.size() ? 1 : 0;
        current.write(position, bytes, 0, bytes.length);
        pending.add(new Pending.Bytes(position, bytes));
        unreadable.removeIf(range -> range.overlaps(position, position + bytes.length));
        rotten.removeIf(rot -> rot.position >= position && rot.position < position + bytes.length);
    }

    int read(ByteBuffer target, long position) {
        return current.read(target, position);
    }

    boolean isUnreadable(long position, int length) {
        return unreadable.stream().anyMatch(range -> range.overlaps(position, position + length));
    }

    void cut(int size) {
        if (size < current.size()) {
            rewrites++;
            current.cut(size);
            rotten.removeIf(rot -> rot.position >= size);
            pending.add(new Pending.Cut(size));
        }
    }

    void grow(int size) {
        current.grow(size);
        pending.add(new Pending.Grow(size));
    }

    void force() {
        pending.forEach(change -> apply(change, durable));
        pending.clear();
    }

    /// What Linux does when writing back fails: the pages keep their new content and are marked clean, so that programs go on
    /// seeing it and the next force succeeds, while the disk has only some of it.
    void failForce(SimEntropy entropy) {
        pending.stream().filter(_ -> entropy.chance(30)).forEach(change -> apply(change, durable));
        pending.clear();
    }

    /// The power went off: some pending changes made it, and the durable image is all there is.
    void crash(SimEntropy entropy, Consumer<DiskFault> onFault) {
        switch (entropy.below(5)) {
            case 0 -> pending.forEach(_ -> onFault.accept(DiskFault.LOST_WRITE));
            case 1 -> pending.forEach(change -> apply(change, durable));
            case 2 -> keepPrefix(entropy, onFault);
            case 3 -> keepSubset(entropy, onFault);
            default -> tear(entropy, onFault);
        }
        pending.clear();
        rewrites++;
        current.become(durable);
        handles = 0;
        linked = true;
    }

    private void keepPrefix(SimEntropy entropy, Consumer<DiskFault> onFault) {
        int kept = entropy.below(pending.size() + 1);
        for (int i = 0; i < pending.size(); i++) {
            if (i < kept) {
                apply(pending.get(i), durable);
            } else {
                onFault.accept(DiskFault.LOST_WRITE);
            }
        }
    }

    private void keepSubset(SimEntropy entropy, Consumer<DiskFault> onFault) {
        for (Pending change : pending) {
            if (entropy.chance(50)) {
                apply(change, durable);
            } else {
                onFault.accept(DiskFault.LOST_WRITE);
            }
        }
    }

    private void tear(SimEntropy entropy, Consumer<DiskFault> onFault) {
        for (Pending change : pending) {
            if (change instanceof Pending.Bytes(int position, byte[] bytes)) {
                tear(position, bytes, entropy);
                onFault.accept(DiskFault.TORN_WRITE);
            } else if (entropy.chance(50)) {
                apply(change, durable);
            }
        }
    }

    /// Each sector arrives whole or not at all; the file may have grown for those that did not.
    private void tear(int position, byte[] bytes, SimEntropy entropy) {
        int from = 0;
        while (from < bytes.length) {
            int sectorEnd = ((position + from) / SECTOR_BYTES + 1) * SECTOR_BYTES - position;
            int to = Math.min(bytes.length, sectorEnd);
            if (entropy.chance(50)) {
                durable.write(position + from, bytes, from, to - from);
            }
            from = to;
        }
        if (entropy.chance(50)) {
            durable.grow(position + bytes.length);
        }
    }

    private static void apply(Pending change, Image image) {
        switch (change) {
            case Pending.Bytes(int position, byte[] bytes) ->
                    image.write(position, bytes, 0, bytes.length);
            case Pending.Cut(int size) -> image.cut(size);
            case Pending.Grow(int size) -> image.grow(size);
        }
    }

    /// A bit at rest changes; the program sees it too, as if the page had been evicted.
    void rot(int position, int mask) {
        rewrites++;
        durable.flip(position, mask);
        current.flip(position, mask);
        rotten.add(new Rot(position, mask));
    }

    boolean isRotten() {
        return !rotten.isEmpty();
    }

    FileContent content() {
        return new FileContent(this, rewrites, sound(current), sound(durable));
    }

    /// What would be there if nothing had rotted.
    private ByteBuffer sound(Image image) {
        if (rotten.isEmpty()) {
            return image.view();
        }
        ByteBuffer bytes = ByteBuffer.allocate(image.size()).put(image.view()).flip();
        for (Rot rot : rotten) {
            if (rot.position < bytes.limit()) {
                bytes.put(rot.position, (byte) (bytes.get(rot.position) ^ rot.mask));
            }
        }
        return bytes;
    }

    private record Rot(int position, int mask) {}

    void failReads(long from, long to) {
        unreadable.add(new BadRange(from, to));
    }

    void healReads() {
        unreadable.clear();
    }

    void opened() {
        handles++;
    }

    void closed() {
        handles--;
    }

    /// The process that had it open is gone.
    void abandoned() {
        handles = 0;
    }

    void unlinked() {
        linked = false;
    }

    /// Nobody can reach it any more, so that its room is free.
    boolean isGarbage() {
        return !linked && handles == 0;
    }

    private sealed interface Pending {
        /// The array is never changed after it has been handed over.
        @SuppressWarnings("ArrayRecordComponent")
        record Bytes(int position, byte[] bytes) implements Pending {}

        record Cut(int size) implements Pending {}

        record Grow(int size) implements Pending {}
    }

    private record BadRange(long from, long to) {
        boolean overlaps(long start, long end) {
            return start < to && from < end;
        }
    }
}
