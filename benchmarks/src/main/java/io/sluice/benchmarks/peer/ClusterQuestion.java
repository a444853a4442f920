package io.sluice.benchmarks.peer;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaFuture;
import org.jspecify.annotations.Nullable;

/// A question that a cluster may be unable to answer for a moment.
final class ClusterQuestion {
    private static final long LIMIT_SECONDS = 10;

    private ClusterQuestion() {}

    /// Null when nobody answers right now.
    static <T> @Nullable T ask(KafkaFuture<T> answer) {
        try {
            return answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException unknown) {
            return null;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", interrupted);
        }
    }
}
