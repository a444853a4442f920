package io.sluice.log;

import io.sluice.record.MalformedBatch;
import io.sluice.record.Varints;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Bytes of records, to be walked through once: all there, or decompressed as they are needed. Owned by its creator.
///
/// Throws [MalformedBatch] when more is asked for than there is.
final class RecordBytes {
    private static final int WINDOW_BYTES = 8 << 10;
    private static final int LONGEST_NUMBER_BYTES = 10;

    private final @Nullable InputStream more;
    private final long limit;
    private final byte[] bytes;
    private final ByteBuffer window;

    /// Of the window's start.
    private long windowAt;

    private RecordBytes(byte[] bytes, ByteBuffer window, @Nullable InputStream more, long limit) {
        this.bytes = bytes;
        this.window = window;
        this.more = more;
        this.limit = limit;
    }

    static RecordBytes of(ByteBuffer all) {
        return new RecordBytes(new byte[0], all.slice(), null, all.remaining());
    }

    /// @param limit more than this many bytes are refused
    static RecordBytes of(InputStream in, long limit) {
        byte[] bytes = new byte[WINDOW_BYTES];
        return new RecordBytes(bytes, ByteBuffer.wrap(bytes).limit(0), in, limit);
    }

    long position() {
        return windowAt + window.position();
    }

    long readLong() throws IOException {
        fill(LONGEST_NUMBER_BYTES);
        return Varints.readLong(window);
    }

    int readInt() throws IOException {
        fill(LONGEST_NUMBER_BYTES);
        return Varints.readInt(window);
    }

    void skip(long count) throws IOException {
        long left = count;
        while (left > 0) {
            if (!window.hasRemaining() && !fill(1)) {
                throw new MalformedBatch("the records end " + left + " bytes too early");
            }
            int step = (int) Math.min(left, window.remaining());
            window.position(window.position() + step);
            left -= step;
        }
    }

    boolean isAtEnd() throws IOException {
        return !window.hasRemaining() && !fill(1);
    }

    /// Tries to have this many bytes in the window; false when there is none at all.
    private boolean fill(int wanted) throws IOException {
        InputStream source = more;
        if (window.remaining() >= wanted || source == null) {
            return window.hasRemaining();
        }
        windowAt += window.position();
        window.compact();
        while (window.position() < wanted) {
            int count = source.read(bytes, window.position(), window.remaining());
            if (count < 0) {
                break;
            }
            window.position(window.position() + count);
        }
        window.flip();
        if (windowAt + window.remaining() > limit) {
            throw new MalformedBatch("the batch unfolds to more than " + limit + " bytes");
        }
        return window.hasRemaining();
    }
}
