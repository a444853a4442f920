package io.sluice.examples.labelling.model;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;

/// Turns text into a vector of its meaning: all-MiniLM-L6-v2, quantised, on the CPU.
///
/// One thread per call, the caller's: so the number of jobs at once is the number of threads that compute, and a lane's limit means what it says.
///
/// Thread-safe.
public final class SentenceModel implements AutoCloseable {
    private static final String MODEL = "/all-minilm-l6-v2-q.onnx";
    private static final String TOKENIZER = "/all-minilm-l6-v2-q-tokenizer.json";

    /// What the model was trained with.
    private static final int MOST_TOKENS = 256;

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final OrtSession session;
    private final HuggingFaceTokenizer tokenizer;

    public SentenceModel() throws IOException, OrtException {
        try (InputStream model = resource(MODEL);
                InputStream vocabulary = resource(TOKENIZER);
                var options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(1);
            options.setInterOpNumThreads(1);
            session = environment.createSession(model.readAllBytes(), options);
            tokenizer =
                    HuggingFaceTokenizer.newInstance(
                            vocabulary,
                            Map.of(
                                    "padding",
                                    "false",
                                    "truncation",
                                    "true",
                                    "maxLength",
                                    Integer.toString(MOST_TOKENS)));
        }
    }

    private static InputStream resource(String name) {
        InputStream stream = SentenceModel.class.getResourceAsStream(name);
        if (stream == null) {
            throw new IllegalStateException(name + " is not on the class path.");
        }
        return stream;
    }

    /// A vector of length 1.
    public float[] embed(String text) throws OrtException {
        Encoding encoding = tokenizer.encode(text);
        Map<String, OnnxTensor> inputs = new HashMap<>();
        try {
            inputs.put("input_ids", tensor(encoding.getIds()));
            inputs.put("attention_mask", tensor(encoding.getAttentionMask()));
            inputs.put("token_type_ids", tensor(encoding.getTypeIds()));
            inputs.keySet().retainAll(session.getInputNames());
            try (OrtSession.Result result = session.run(inputs)) {
                float[][][] tokens = (float[][][]) result.get(0).getValue();
                return normalised(mean(tokens[0]));
            }
        } finally {
            inputs.values().forEach(OnnxTensor::close);
        }
    }

    private OnnxTensor tensor(long[] values) throws OrtException {
        return OnnxTensor.createTensor(environment, new long[][] {values});
    }

    private static float[] mean(float[][] tokens) {
        float[] mean = new float[tokens[0].length];
        for (float[] token : tokens) {
            for (int i = 0; i < mean.length; i++) {
                mean[i] += token[i] / tokens.length;
            }
        }
        return mean;
    }

    private static float[] normalised(float[] vector) {
        double square = 0;
        for (float value : vector) {
            square += (double) value * value;
        }
        float length = (float) Math.sqrt(square);
        for (int i = 0; i < vector.length; i++) {
            vector[i] /= length;
        }
        return vector;
    }

    @Override
    public void close() throws OrtException {
        session.close();
        tokenizer.close();
    }
}
