package io.sluice.examples.labelling.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Cuts a long text into pieces that the model can read at once, each overlapping with the one before, so that no sentence is lost at a border.
public final class Chunks {
    /// About 200 tokens.
    static final int WORDS = 150;

    static final int OVERLAP = 20;

    private Chunks() {}

    public static List<String> of(String text) {
        String[] words = text.strip().split("\\s+");
        List<String> chunks = new ArrayList<>();
        for (int from = 0; from == 0 || from + OVERLAP < words.length; from += WORDS - OVERLAP) {
            chunks.add(
                    String.join(
                            " ",
                            Arrays.copyOfRange(words, from, Math.min(words.length, from + WORDS))));
        }
        return chunks;
    }
}
