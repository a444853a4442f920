package io.sluice.benchmarks.listener;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
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
    final SqsClient client;
    final SqsAsyncClient async;
    final String name = "q" + UUID.randomUUID();
    final String url;

    BenchQueue(int port) {
        URI endpoint = URI.create("http://localhost:" + port);
        var credentials =
                StaticCredentialsProvider.create(AwsBasicCredentials.create("bench", "bench"));
        client =
                SqsClient.builder()
                        .endpointOverride(endpoint)
                        .region(Region.US_EAST_1)
                        .credentialsProvider(credentials)
                        .build();
        async =
                SqsAsyncClient.builder()
                        .endpointOverride(endpoint)
                        .region(Region.US_EAST_1)
                        .credentialsProvider(credentials)
                        .build();
        url = client.createQueue(request -> request.queueName(name)).queueUrl();
    }

    /// Jobs that take from so long to so long; the same ones for every subject.
    void send(int count, String type, int leastMillis, int mostMillis) {
        for (int from = 0; from < count; from += BATCH) {
            List<SendMessageBatchRequestEntry> entries = new ArrayList<>();
            for (int i = from; i < Math.min(count, from + BATCH); i++) {
                entries.add(
                        SendMessageBatchRequestEntry.builder()
                                .id(Integer.toString(i))
                                .messageBody(
                                        "%s %d %d"
                                                .formatted(
                                                        type,
                                                        random.nextInt(leastMillis, mostMillis + 1),
                                                        System.nanoTime()))
                                .messageAttributes(
                                        Map.of(
                                                "type",
                                                MessageAttributeValue.builder()
                                                        .dataType("String")
                                                        .stringValue(type)
                                                        .build()))
                                .build());
            }
            client.sendMessageBatch(request -> request.queueUrl(url).entries(entries));
        }
    }

    /// Visible and in flight.
    record Depth(int visible, int inFlight) {
        int left() {
            return visible + inFlight;
        }
    }

    Depth depth() {
        Map<QueueAttributeName, String> all =
                client.getQueueAttributes(
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
        client.deleteQueue(request -> request.queueUrl(url));
        async.close();
        client.close();
    }
}
