package io.sluice.listener.sqs;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;

/// An SQS endpoint (ElasticMQ) for the tests of a class, and queues on it.
final class Queues implements BeforeAllCallback, AfterAllCallback, ParameterResolver {
    private static final int LARGEST_BATCH = 100_000;

    private @Nullable SQSRestServer server;
    private @Nullable SqsClient client;
    private int port;

    int port() {
        return port;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        server = SQSRestServerBuilder.withDynamicPort().withInterface("localhost").start();
        port = server.waitUntilStarted().localAddress().getPort();
        client = client(port);
    }

    static SqsClient client(int port) {
        return client(port, new ExecutionInterceptor() {});
    }

    /// @param interceptor hears of every request
    static SqsClient client(int port, ExecutionInterceptor interceptor) {
        return SqsClient.builder()
                .overrideConfiguration(
                        configuration -> configuration.addExecutionInterceptor(interceptor))
                .endpointOverride(URI.create("http://localhost:" + port))
                .region(Region.US_EAST_1)
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("x", "x")))
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .build();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        sqs().close();
        if (server != null) {
            server.stopAndWait();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Queues.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return this;
    }

    SqsClient sqs() {
        if (client == null) {
            throw new IllegalStateException("not started");
        }
        return client;
    }

    /// A queue and its dead letters.
    record Queue(String url, String deadLetters) {}

    /// @param mostReceives of the redrive policy
    Queue create(boolean fifo, int mostReceives) {
        String suffix = fifo ? ".fifo" : "";
        String name = "q" + UUID.randomUUID();
        Map<QueueAttributeName, String> attributes = new HashMap<>();
        if (fifo) {
            attributes.put(QueueAttributeName.FIFO_QUEUE, "true");
            attributes.put(QueueAttributeName.CONTENT_BASED_DEDUPLICATION, "true");
        }
        String dead =
                sqs().createQueue(
                                request ->
                                        request.queueName(name + "-dead" + suffix)
                                                .attributes(attributes))
                        .queueUrl();
        String arn =
                sqs().getQueueAttributes(
                                request ->
                                        request.queueUrl(dead)
                                                .attributeNames(QueueAttributeName.QUEUE_ARN))
                        .attributes()
                        .get(QueueAttributeName.QUEUE_ARN);
        attributes.put(
                QueueAttributeName.REDRIVE_POLICY,
                "{\"deadLetterTargetArn\":\""
                        + arn
                        + "\",\"maxReceiveCount\":\""
                        + mostReceives
                        + "\"}");
        String url =
                sqs().createQueue(
                                request -> request.queueName(name + suffix).attributes(attributes))
                        .queueUrl();
        return new Queue(url, dead);
    }

    /// Ten at a time, as long as they are small.
    void send(Queue queue, List<String> bodies, @Nullable String lane) {
        for (int from = 0; from < bodies.size(); ) {
            List<SendMessageBatchRequestEntry> batch = new ArrayList<>();
            int length = 0;
            while (from < bodies.size()
                    && batch.size() < 10
                    && (batch.isEmpty() || length + bodies.get(from).length() <= LARGEST_BATCH)) {
                length += bodies.get(from).length();
                batch.add(entry(queue, batch.size(), bodies.get(from++), lane));
            }
            sqs().sendMessageBatch(request -> request.queueUrl(queue.url()).entries(batch));
        }
    }

    private static SendMessageBatchRequestEntry entry(
            Queue queue, int id, String body, @Nullable String lane) {
        var entry =
                SendMessageBatchRequestEntry.builder().id(Integer.toString(id)).messageBody(body);
        if (lane != null) {
            entry.messageAttributes(
                    Map.of(
                            "lane",
                            MessageAttributeValue.builder()
                                    .dataType("String")
                                    .stringValue(lane)
                                    .build()));
        }
        if (queue.url().endsWith(".fifo")) {
            entry.messageGroupId(body.substring(0, 1)).messageDeduplicationId(body);
        }
        return entry.build();
    }

    /// Visible and invisible ones.
    int left(String url) {
        var attributes =
                sqs().getQueueAttributes(
                                request ->
                                        request.queueUrl(url)
                                                .attributeNames(QueueAttributeName.ALL))
                        .attributes();
        return Integer.parseInt(
                        attributes.getOrDefault(
                                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES, "0"))
                + Integer.parseInt(
                        attributes.getOrDefault(
                                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE, "0"))
                + Integer.parseInt(
                        attributes.getOrDefault(
                                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_DELAYED, "0"));
    }

    int invisible(String url) {
        return Integer.parseInt(
                sqs().getQueueAttributes(
                                request ->
                                        request.queueUrl(url)
                                                .attributeNames(QueueAttributeName.ALL))
                        .attributes()
                        .getOrDefault(
                                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE,
                                "0"));
    }

    List<Message> receive(String url) {
        return sqs().receiveMessage(
                        request ->
                                request.queueUrl(url)
                                        .maxNumberOfMessages(10)
                                        .waitTimeSeconds(5)
                                        .messageAttributeNames("All"))
                .messages();
    }
}
