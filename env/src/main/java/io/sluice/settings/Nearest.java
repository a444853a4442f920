package io.sluice.settings;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// Finds what a person probably meant. No hint is better than a wrong one: one slip in a short word, one for every three letters of a long one. Stateless.
public final class Nearest {
    private Nearest() {}

    /// The known name that was probably meant, because it is nearly the same, or ends with what was given; null when that would be a guess.
    public static @Nullable String to(String wanted, Collection<String> known) {
        String best = null;
        int bestDistance = Math.max(1, wanted.length() / 3) + 1;
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

    /// Levenshtein's, where two neighbours that have changed places count as one slip: it is the one that fingers make most.
    private static int distance(String left, String right) {
        int[] beforeLast = new int[right.length() + 1];
        int[] last = new int[right.length() + 1];
        int[] row = new int[right.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int[] free = beforeLast;
            beforeLast = last;
            last = row;
            row = free;
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int change = last[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(last[j], row[j - 1]) + 1);
                if (isSwap(left, i, right, j)) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
        }
        return row[right.length()];
    }

    private static boolean isSwap(String left, int i, String right, int j) {
        return i > 1
                && j > 1
                && left.charAt(i - 1) == right.charAt(j - 2)
                && left.charAt(i - 2) == right.charAt(j - 1);
    }
}
