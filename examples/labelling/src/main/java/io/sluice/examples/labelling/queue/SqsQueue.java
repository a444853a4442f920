package io.sluice.examples.labelling.queue;

import java.util.Map;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import tools.jackson.databind.json.JsonMapper;

/// A queue of Amazon SQS, or of anything with its API.
///
/// Thread-safe.
public final class SqsQueue implements DocumentQueue {
    private final SqsClient sqs;
    private final String url;
    private final JsonMapper json;

    public SqsQueue(SqsClient sqs, String url, JsonMapper json) {
        this.sqs = sqs;
        this.url = url;
        this.json = json;
    }

    /// Makes the queue and one for its dead letters, if there is none.
    public static String create(SqsClient sqs, String name) {
        String dead =
                sqs.createQueue(request -> request.queueName(name + "-dead-letters")).queueUrl();
        String arn =
                sqs.getQueueAttributes(
                                request ->
                                        request.queueUrl(dead)
                                                .attributeNames(QueueAttributeName.QUEUE_ARN))
                        .attributes()
                        .get(QueueAttributeName.QUEUE_ARN);
        String redrive =
                "{\"deadLetterTargetArn\":\"%s\",\"maxReceiveCount\":\"20\"}".formatted(arn);
        return sqs.createQueue(
                        request ->
                                request.queueName(name)
                                        .attributes(
                                                Map.of(QueueAttributeName.REDRIVE_POLICY, redrive)))
                .queueUrl();
    }

    @Override
    public void send(DocumentMessage message) {
        var type = MessageAttributeValue.builder().dataType("String").stringValue(message.type());
        sqs.sendMessage(
                request ->
                        request.queueUrl(url)
                                .messageBody(json.writeValueAsString(message))
                                .messageAttributes(Map.of("type", type.build())));
    }

    @Override
    public long waiting() {
        return Long.parseLong(
                sqs.getQueueAttributes(
                                request ->
                                        request.queueUrl(url)
                                                .attributeNames(
                                                        QueueAttributeName
                                                                .APPROXIMATE_NUMBER_OF_MESSAGES))
                        .attributes()
                        .getOrDefault(QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES, "0"));
    }

    @Override
    public String describe() {
        return "SQS queue " + url;
    }
}
