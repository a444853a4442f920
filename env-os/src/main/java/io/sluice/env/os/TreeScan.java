package io.sluice.env.os;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Steps over the doubled frames in the bytes of a metadata file, making do with one sound copy of each.
///
/// Owned by its creator.
final class TreeScan {
    private final ByteBuffer bytes;
    private int position;
    private long nextNumber;
    private boolean spoiled;
    private boolean hasFirstFormat;

    /// @param firstNumber of the snapshot, as the file's name tells
    TreeScan(ByteBuffer bytes, long firstNumber) {
        this.bytes = bytes;
        this.nextNumber = firstNumber;
    }

    /// The next frame, or null when neither copy of it can be found.
    @Nullable TreeFrame next() {
        int found = find();
        TreeFrame frame = found < 0 ? null : TreeFrame.at(bytes, found);
        if (frame == null) {
            return null;
        }
        int size = TreeFrame.sizeAt(bytes, found);
        // Either the first copy at the present position, or the second, one frame behind it.
        boolean isFirst = found == position;
        if (!isFirst && found != position + size) {
            return null;
        }
        int other = isFirst ? position + size : position;
        TreeFrame twin = TreeFrame.at(bytes, other);
        spoiled |= twin == null || twin.number() != frame.number();
        hasFirstFormat |= TreeFrame.isFirstFormat(bytes, found);
        position += 2 * size;
        nextNumber++;
        return frame;
    }

    /// True when behind the place where [#next] found nothing there is a frame that came later.
    boolean hasLaterFrame() {
        for (int at = position; at <= bytes.limit() - TreeFrame.SMALLEST_BYTES; at++) {
            TreeFrame frame = TreeFrame.at(bytes, at);
            if (frame != null && frame.number() >= nextNumber) {
                return true;
            }
        }
        return false;
    }

    /// The first sound copy of the next frame, or -1.
    private int find() {
        for (int at = position; at <= bytes.limit() - TreeFrame.SMALLEST_BYTES; at++) {
            TreeFrame frame = TreeFrame.at(bytes, at);
            if (frame != null && frame.number() == nextNumber) {
                return at;
            }
        }
        return -1;
    }

    /// Where the next frame begins, or would.
    int position() {
        return position;
    }

    long nextNumber() {
        return nextNumber;
    }

    /// True when there was a frame that would be written otherwise today.
    boolean hasFirstFormat() {
        return hasFirstFormat;
    }

    /// True when one copy of a frame was not sound.
    boolean isSpoiled() {
        return spoiled;
    }
}
