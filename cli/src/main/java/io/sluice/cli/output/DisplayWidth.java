package io.sluice.cli.output;

/// How many columns of a terminal a text takes: Hangul, Han, Kana and emoji take two, combining marks none.
///
/// Follows the East Asian Width property (UAX 11) in ranges wide enough for whole blocks.
///
/// Stateless.
public final class DisplayWidth {
    /// Pairs of first and last wide code point, ascending.
    private static final int[] WIDE = {
        0x1100, 0x115F, // Hangul Jamo, leading consonants
        0x231A, 0x231B,
        0x2329, 0x232A,
        0x23E9, 0x23EC,
        0x23F0, 0x23F0,
        0x23F3, 0x23F3,
        0x25FD, 0x25FE,
        0x2614, 0x2615,
        0x2648, 0x2653,
        0x26A1, 0x26A1,
        0x26AA, 0x26AB,
        0x26BD, 0x26BE,
        0x26C4, 0x26C5,
        0x26CE, 0x26CE,
        0x26D4, 0x26D4,
        0x26EA, 0x26EA,
        0x26F2, 0x26F5,
        0x26FA, 0x26FD,
        0x2705, 0x2705,
        0x270A, 0x270B,
        0x2728, 0x2728,
        0x274C, 0x274E,
        0x2753, 0x2757,
        0x2795, 0x2797,
        0x27B0, 0x27BF,
        0x2B1B, 0x2B1C,
        0x2B50, 0x2B55,
        0x2E80, 0x303E, // CJK radicals, punctuation
        0x3041, 0x33FF, // Kana, compatibility Jamo, enclosed CJK
        0x3400, 0x4DBF,
        0x4E00, 0x9FFF, // Han
        0xA000, 0xA4CF,
        0xA960, 0xA97F, // Hangul Jamo extended A
        0xAC00, 0xD7A3, // Hangul syllables
        0xF900, 0xFAFF,
        0xFE30, 0xFE6F,
        0xFF00, 0xFF60, // full-width forms
        0xFFE0, 0xFFE6,
        0x1F1E6, 0x1F1FF,
        0x1F300, 0x1F64F,
        0x1F680, 0x1F6FF,
        0x1F900, 0x1FAFF,
        0x20000, 0x3FFFD
    };

    private DisplayWidth() {}

    public static int of(String text) {
        int width = 0;
        for (int i = 0; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            width += of(codePoint);
            i += Character.charCount(codePoint);
        }
        return width;
    }

    private static int of(int codePoint) {
        if (codePoint < 0x300) {
            return 1;
        }
        return switch (Character.getType(codePoint)) {
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
            default -> {
                // Vowels and final consonants of a decomposed syllable join the leading one.
                boolean joins = codePoint >= 0x1160 && codePoint <= 0x11FF;
                yield joins ? 0 : wide(codePoint) ? 2 : 1;
            }
        };
    }

    private static boolean wide(int codePoint) {
        int low = 0;
        int high = WIDE.length / 2 - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (codePoint < WIDE[2 * middle]) {
                high = middle - 1;
            } else if (codePoint > WIDE[2 * middle + 1]) {
                low = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }
}
