package io.sluice.benchmarks.listener;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;

/// A queue for one turn, and looks at it from outside.
///
/// Thread-safe.
final class BenchQueue implements AutoCloseable {
    private static final int BATCH = 10;

    private final Random random = new Random(1);
    private int sent;

    /// What listeners use; somebody listens at the wire.
    final SqsClient client;

    final SqsAsyncClient async;
    final Received received = new Received();
    final String name = "q" + UUID.randomUUID();
    final String url;
    private final SqsClient outside;

    BenchQueue(int port) {
        client = client(port, received);
        outside = client(port, null);
        async =
                SqsAsyncClient.builder()
                        .endpointOverride(endpoint(port))
                        .region(Region.US_EAST_1)
                        .credentialsProvider(credentials())
                        .overrideConfiguration(
                                configuration -> configuration.addExecutionInterceptor(received))
                        .build();
        // Long enough that nothing comes again by itself as long as somebody looks.
        var visibility = Map.of(QueueAttributeName.VISIBILITY_TIMEOUT, "120");
        url =
                outside.createQueue(request -> request.queueName(name).attributes(visibility))
                        .queueUrl();
    }

    static SqsClient client(int port, @Nullable ExecutionInterceptor interceptor) {
        return SqsClient.builder()
                .endpointOverride(endpoint(port))
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials())
                .overrideConfiguration(
                        configuration -> {
                            if (interceptor != null) {
                                configuration.addExecutionInterceptor(interceptor);
                            }
                        })
                .build();
    }

    private static URI endpoint(int port) {
        return URI.create("http://localhost:" + port);
    }

    private static StaticCredentialsProvider credentials() {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create("bench", "bench"));
    }

    /// Jobs that take from so long to so long; the same ones for every subject.
    synchronized void send(int count, String type, int leastMillis, int mostMillis) {
        for (int from = 0; from < count; from += BATCH) {
            List<SendMessageBatchRequestEntry> entries = new ArrayList<>();
            for (int i = from; i < Math.min(count, from + BATCH); i++) {
                int millis = random.nextInt(leastMillis, mostMillis + 1);
                entries.add(entry(type, millis));
            }
            outside.sendMessageBatch(request -> request.queueUrl(url).entries(entries));
        }
    }

    /// `type millis sent number`
    private SendMessageBatchRequestEntry entry(String type, int millis) {
        var attribute = MessageAttributeValue.builder().dataType("String").stringValue(type);
        sent++;
        return SendMessageBatchRequestEntry.builder()
                .id(Integer.toString(sent))
                .messageBody("%s %d %d %d".formatted(type, millis, System.nanoTime(), sent))
                .messageAttributes(Map.of("type", attribute.build()))
                .build();
    }

    void purge() {
        outside.purgeQueue(request -> request.queueUrl(url));
    }

    /// Visible and in flight.
    record Depth(int visible, int inFlight) {
        int left() {
            return visible + inFlight;
        }
    }

    Depth depth() {
        Map<QueueAttributeName, String> all =
                outside.getQueueAttributes(
                                request ->
                                        request.queueUrl(url)
                                                .attributeNames(QueueAttributeName.ALL))
                        .attributes();
        return new Depth(
                number(all, QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES)
                        + number(all, QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_DELAYED),
                number(all, QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE));
    }

    private static int number(Map<QueueAttributeName, String> all, QueueAttributeName name) {
        return Integer.parseInt(all.getOrDefault(name, "0"));
    }

    @Override
    public void close() {
        outside.deleteQueue(request -> request.queueUrl(url));
        async.close();
        client.close();
        outside.close();
    }
}
