package io.sluice.settings;

import java.util.Collection;

/// Finds what a person probably meant. Stateless.
public final class Nearest {
    private Nearest() {}

    /// The most similar of the known names; empty when there is none.
    public static String to(String wanted, Collection<String> known) {
        String best = "";
        int bestDistance = Integer.MAX_VALUE;
        for (String candidate : known) {
            int distance = distance(wanted, candidate);
            if (distance < bestDistance) {
                bestDistance = distance;
                best = candidate;
            }
        }
        return best;
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
