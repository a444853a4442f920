package io.sluice.simulation.disk;

import java.nio.ByteBuffer;
import java.util.Arrays;

/// The bytes of one file in one of its two states. Owned by its file.
final class Image {
    private byte[] bytes = new byte[0];
    private int size;

    int size() {
        return size;
    }

    void write(int position, byte[] source, int from, int length) {
        grow(position + length);
        System.arraycopy(source, from, bytes, position, length);
    }

    /// The bytes in place; good until the next change.
    ByteBuffer view() {
        return ByteBuffer.wrap(bytes, 0, size).slice().asReadOnlyBuffer();
    }

    int read(ByteBuffer target, long position) {
        if (position >= size) {
            return 0;
        }
        int length = (int) Math.min(target.remaining(), size - position);
        target.put(bytes, (int) position, length);
        return length;
    }

    /// Longer, reading as zeros.
    void grow(int newSize) {
        if (newSize > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(newSize, bytes.length * 2));
        }
        size = Math.max(size, newSize);
    }

    void cut(int newSize) {
        if (newSize < size) {
            Arrays.fill(bytes, newSize, size, (byte) 0);
            size = newSize;
        }
    }

    void flip(int position, int mask) {
        if (position < size) {
            bytes[position] ^= (byte) mask;
        }
    }

    void become(Image other) {
        bytes = Arrays.copyOf(other.bytes, other.size);
        size = other.size;
    }
}
