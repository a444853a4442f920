package io.sluice.outbox.wal;

import java.nio.charset.StandardCharsets;

/// The lane of an aggregate as `outbox_lane_of` in the database computes it, since the stream brings only columns.
///
/// PostgreSQL's `hashtextextended(text, 0)`, which is Bob Jenkins' lookup3; its lower half is all that is needed.
public final class LaneHash {
    private static final int LANES = 64;

    private int a;
    private int b;
    private int c;

    private LaneHash(int length) {
        a = 0x9e3779b9 + length + 3923095;
        b = a;
        c = a;
    }

    public static int lane(String aggregate) {
        byte[] bytes = aggregate.getBytes(StandardCharsets.UTF_8);
        LaneHash hash = new LaneHash(bytes.length);
        int at = 0;
        while (bytes.length - at >= 12) {
            hash.a += word(bytes, at, 4);
            hash.b += word(bytes, at + 4, 4);
            hash.c += word(bytes, at + 8, 4);
            hash.mix();
            at += 12;
        }
        int left = bytes.length - at;
        hash.a += word(bytes, at, Math.min(left, 4));
        hash.b += word(bytes, at + 4, Math.clamp(left - 4L, 0, 4));
        // The lowest byte of c is the length's.
        hash.c += word(bytes, at + 8, Math.clamp(left - 8L, 0, 3)) << 8;
        hash.end();
        return hash.c & (LANES - 1);
    }

    private static int word(byte[] bytes, int from, int count) {
        int word = 0;
        for (int i = 0; i < count; i++) {
            word |= (bytes[from + i] & 0xff) << (8 * i);
        }
        return word;
    }

    private void mix() {
        a = (a - c) ^ Integer.rotateLeft(c, 4);
        c += b;
        b = (b - a) ^ Integer.rotateLeft(a, 6);
        a += c;
        c = (c - b) ^ Integer.rotateLeft(b, 8);
        b += a;
        a = (a - c) ^ Integer.rotateLeft(c, 16);
        c += b;
        b = (b - a) ^ Integer.rotateLeft(a, 19);
        a += c;
        c = (c - b) ^ Integer.rotateLeft(b, 4);
        b += a;
    }

    private void end() {
        c = (c ^ b) - Integer.rotateLeft(b, 14);
        a = (a ^ c) - Integer.rotateLeft(c, 11);
        b = (b ^ a) - Integer.rotateLeft(a, 25);
        c = (c ^ b) - Integer.rotateLeft(b, 16);
        a = (a ^ c) - Integer.rotateLeft(c, 4);
        b = (b ^ a) - Integer.rotateLeft(a, 14);
        c = (c ^ b) - Integer.rotateLeft(b, 24);
    }
}
