package io.sluice.settings;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// Finds what a person probably meant. Stateless.
public final class Nearest {
    private Nearest() {}

    /// The known name that was probably meant, because it is nearly the same, or ends with what was given; null when that would be a guess.
    public static @Nullable String to(String wanted, Collection<String> known) {
        String best = null;
        int bestDistance = Math.max(2, wanted.length() / 3) + 1;
        for (String candidate : known) {
            int distance = isPartOf(wanted, candidate) ? 1 : distance(wanted, candidate);
            if (distance < bestDistance) {
                bestDistance = distance;
                best = candidate;
            }
        }
        return best;
    }

    private static boolean isPartOf(String wanted, String candidate) {
        return candidate.endsWith("." + wanted) || candidate.startsWith(wanted + ".");
    }

    /// Levenshtein's.
    private static int distance(String left, String right) {
        int[] row = new int[right.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int change = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[right.length()];
    }
}
