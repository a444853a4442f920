package io.sluice.examples.labelling.model;

import ai.onnxruntime.OrtException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Says which labels fit a text, without having been trained for any of them: a label is a sentence, and it fits when its meaning is near the text's.
///
/// Immutable.
public final class Labeller {
    /// A label and how well it fits, from -1 to 1.
    public record Score(String label, double score) {}

    /// Asked between two chunks: long texts take long, and may no longer be wanted.
    @FunctionalInterface
    public interface StillWanted {
        void require() throws InterruptedException;
    }

    /// Labels within this distance of the best one are given too.
    private static final double NEAR_BEST = 0.05;

    private final SentenceModel model;
    private final Map<String, float[]> labels = new LinkedHashMap<>();

    /// @param sentences by label, what a document of that kind is about
    public Labeller(SentenceModel model, Map<String, String> sentences) throws OrtException {
        if (sentences.isEmpty()) {
            throw new IllegalArgumentException("There has to be a label to give.");
        }
        this.model = model;
        for (Map.Entry<String, String> label : sentences.entrySet()) {
            labels.put(label.getKey(), model.embed(label.getValue()));
        }
    }

    /// The labels that fit, the best one first.
    public List<Score> label(List<String> chunks, StillWanted wanted)
            throws OrtException, InterruptedException {
        Map<String, Double> sums = new LinkedHashMap<>();
        for (String chunk : chunks) {
            wanted.require();
            float[] meaning = model.embed(chunk);
            labels.forEach((label, of) -> sums.merge(label, cosine(meaning, of), Double::sum));
        }
        List<Score> scores = new ArrayList<>();
        sums.forEach((label, sum) -> scores.add(new Score(label, sum / chunks.size())));
        scores.sort((a, b) -> Double.compare(b.score(), a.score()));
        double best = scores.getFirst().score();
        scores.removeIf(score -> score.score() < best - NEAR_BEST);
        return scores;
    }

    /// Both have length 1.
    private static double cosine(float[] a, float[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += (double) a[i] * b[i];
        }
        return sum;
    }
}
