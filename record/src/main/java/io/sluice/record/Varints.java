package io.sluice.record;

import java.nio.ByteBuffer;

/// Variable-length integers of the record format: zig-zag, seven bits a byte, low bits first.
public final class Varints {
    private Varints() {}

    /// At most five bytes: readers refuse more, also where they add nothing.
    public static int readInt(ByteBuffer in) {
        long value = read(in, 5);
        if (value != (int) value) {
            throw new MalformedBatch("a 32-bit number has the value " + value);
        }
        return (int) value;
    }

    public static long readLong(ByteBuffer in) {
        return read(in, 10);
    }

    private static long read(ByteBuffer in, int longest) {
        long raw = 0;
        for (int shift = 0; shift < 7 * longest; shift += 7) {
            if (!in.hasRemaining()) {
                throw new MalformedBatch("a number is cut off at byte " + in.position());
            }
            byte next = in.get();
            raw |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return (raw >>> 1) ^ -(raw & 1);
            }
        }
        throw new MalformedBatch(
                "a number has more than " + longest + " bytes, at byte " + in.position());
    }

    public static void write(ByteBuffer out, long value) {
        long raw = (value << 1) ^ (value >> 63);
        while ((raw & ~0x7fL) != 0) {
            out.put((byte) (raw | 0x80));
            raw >>>= 7;
        }
        out.put((byte) raw);
    }

    public static int sizeOf(long value) {
        long raw = (value << 1) ^ (value >> 63);
        return Math.max(1, (70 - Long.numberOfLeadingZeros(raw)) / 7);
    }
}
