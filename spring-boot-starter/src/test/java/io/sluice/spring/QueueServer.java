package io.sluice.spring;

import java.net.URI;
import java.util.Map;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/// An SQS endpoint (ElasticMQ) with queues on it.
public final class QueueServer implements AutoCloseable {
    private final SQSRestServer server =
            SQSRestServerBuilder.withDynamicPort().withInterface("localhost").start();
    public final URI endpoint =
            URI.create("http://localhost:" + server.waitUntilStarted().localAddress().getPort());
    public final SqsClient client =
            SqsClient.builder()
                    .endpointOverride(endpoint)
                    .region(Region.US_EAST_1)
                    .credentialsProvider(credentials())
                    .build();

    public static StaticCredentialsProvider credentials() {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create("x", "x"));
    }

    /// A queue and its dead letters, `<name>-dead`.
    public String create(String name) {
        String dead = client.createQueue(request -> request.queueName(name + "-dead")).queueUrl();
        String arn =
                client.getQueueAttributes(
                                request ->
                                        request.queueUrl(dead)
                                                .attributeNames(QueueAttributeName.QUEUE_ARN))
                        .attributes()
                        .get(QueueAttributeName.QUEUE_ARN);
        return client.createQueue(
                        request ->
                                request.queueName(name)
                                        .attributes(
                                                Map.of(
                                                        QueueAttributeName.REDRIVE_POLICY,
                                                        "{\"deadLetterTargetArn\":\"%s\",\"maxReceiveCount\":\"100\"}"
                                                                .formatted(arn))))
                .queueUrl();
    }

    public void send(String url, String body, Map<String, String> attributes) {
        Map<String, MessageAttributeValue> values = new java.util.HashMap<>();
        attributes.forEach(
                (name, value) ->
                        values.put(
                                name,
                                MessageAttributeValue.builder()
                                        .dataType("String")
                                        .stringValue(value)
                                        .build()));
        client.sendMessage(
                request -> request.queueUrl(url).messageBody(body).messageAttributes(values));
    }

    /// Visible and invisible ones.
    public int left(String url) {
        Map<QueueAttributeName, String> all =
                client.getQueueAttributes(
                                request ->
                                        request.queueUrl(url)
                                                .attributeNames(QueueAttributeName.ALL))
                        .attributes();
        return Integer.parseInt(
                        all.getOrDefault(QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES, "0"))
                + invisible(url);
    }

    public int invisible(String url) {
        return Integer.parseInt(
                client.getQueueAttributes(
                                request ->
                                        request.queueUrl(url)
                                                .attributeNames(QueueAttributeName.ALL))
                        .attributes()
                        .getOrDefault(
                                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE,
                                "0"));
    }

    @Override
    public void close() {
        client.close();
        server.stopAndWait();
    }
}
