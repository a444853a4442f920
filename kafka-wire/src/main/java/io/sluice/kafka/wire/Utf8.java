package io.sluice.kafka.wire;

import java.nio.ByteBuffer;

/// Strings as UTF-8 straight into a buffer, without an array in between.
///
/// An unpaired surrogate becomes `?`, as in `String.getBytes`.
final class Utf8 {
    private Utf8() {}

    /// The number of bytes that [#put] will write.
    static int length(String text) {
        int length = text.length();
        int bytes = length;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                bytes += additional(text, i, c);
            }
        }
        return bytes;
    }

    /// Writes the text, for which `length` bytes are needed.
    static void put(String text, int length, ByteBuffer target) {
        int chars = text.length();
        if (chars == length) {
            for (int i = 0; i < chars; i++) {
                char c = text.charAt(i);
                // As many bytes as characters: either all are ASCII, or some are unpaired
                // surrogates.
                target.put((byte) (c < 0x80 ? c : '?'));
            }
            return;
        }
        for (int i = 0; i < chars; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                target.put((byte) c);
            } else if (c < 0x800) {
                target.put((byte) (0xc0 | c >> 6)).put(continuation(c));
            } else if (!Character.isSurrogate(c)) {
                target.put((byte) (0xe0 | c >> 12)).put(continuation(c >> 6)).put(continuation(c));
            } else if (isPair(text, i)) {
                int point = Character.toCodePoint(c, text.charAt(++i));
                target.put((byte) (0xf0 | point >> 18))
                        .put(continuation(point >> 12))
                        .put(continuation(point >> 6))
                        .put(continuation(point));
            } else {
                target.put((byte) '?');
            }
        }
    }

    /// Bytes that a character needs beyond its first; a pair of surrogates needs four for its two characters.
    private static int additional(String text, int index, char c) {
        if (c < 0x800) {
            return 1;
        }
        if (!Character.isSurrogate(c)) {
            return 2;
        }
        boolean firstOfPair = isPair(text, index);
        return firstOfPair ? 2 : 0;
    }

    private static byte continuation(int bits) {
        return (byte) (0x80 | (bits & 0x3f));
    }

    private static boolean isPair(String text, int index) {
        return Character.isHighSurrogate(text.charAt(index))
                && index + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(index + 1));
    }
}
