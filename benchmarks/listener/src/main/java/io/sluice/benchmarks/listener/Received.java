package io.sluice.benchmarks.listener;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequest;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityRequest;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageResponse;

/// Listens at the wire: which messages a process has received and neither begun nor given back.
///
/// Thread-safe.
final class Received implements ExecutionInterceptor {
    /// On its way to a thread, or back to the queue, a message is for a moment.
    private static final long A_MOMENT = Duration.ofMillis(100).toNanos();

    private final Map<String, Long> sinceByBody = new ConcurrentHashMap<>();
    private final Map<String, String> bodyByHandle = new ConcurrentHashMap<>();

    @Override
    public void afterExecution(Context.AfterExecution context, ExecutionAttributes attributes) {
        if (context.response() instanceof ReceiveMessageResponse response) {
            for (Message message : response.messages()) {
                bodyByHandle.put(message.receiptHandle(), message.body());
                sinceByBody.put(message.body(), System.nanoTime());
            }
        }
        switch (context.request()) {
            case ChangeMessageVisibilityBatchRequest batch ->
                    batch.entries().forEach(entry -> givenBack(entry.receiptHandle()));
            case ChangeMessageVisibilityRequest one -> givenBack(one.receiptHandle());
            default -> {}
        }
    }

    private void givenBack(String handle) {
        String body = bodyByHandle.remove(handle);
        if (body != null) {
            sinceByBody.remove(body);
        }
    }

    void begun(String body) {
        sinceByBody.remove(body);
    }

    /// How many have been waiting for longer than a moment.
    long waiting() {
        long now = System.nanoTime();
        return sinceByBody.values().stream().filter(since -> now - since > A_MOMENT).count();
    }
}
