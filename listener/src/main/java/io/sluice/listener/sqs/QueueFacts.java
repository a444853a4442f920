package io.sluice.listener.sqs;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueDoesNotExistException;

/// What a source has to know about its queue before it begins.
///
/// Immutable.
///
/// @param mostReceives after so many deliveries SQS itself moves a message to the dead letters; 0: never
record QueueFacts(boolean fifo, int mostReceives, @Nullable String deadLetterUrl) {
    private static final Pattern TARGET =
            Pattern.compile("\"deadLetterTargetArn\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern RECEIVES =
            Pattern.compile("\"maxReceiveCount\"\\s*:\\s*\"?(\\d+)");

    static QueueFacts ask(SqsSettings settings) {
        try {
            var attributes =
                    settings.client()
                            .getQueueAttributes(
                                    request ->
                                            request.queueUrl(settings.queueUrl())
                                                    .attributeNames(QueueAttributeName.ALL))
                            .attributes();
            String redrive = attributes.getOrDefault(QueueAttributeName.REDRIVE_POLICY, "");
            Matcher receives = RECEIVES.matcher(redrive);
            Matcher target = TARGET.matcher(redrive);
            String url = settings.deadLetterUrl();
            if (url == null && target.find()) {
                url = urlOf(settings.client(), target.group(1));
            }
            if (url == null && !settings.dropDeadLetters()) {
                throw new IllegalStateException(
                        "Queue %s has no dead-letter queue, so messages that can never be processed would come for ever. Give it a redrive policy, name a queue with deadLetters(…), or say dropDeadLetters(true)."
                                .formatted(settings.queue()));
            }
            return new QueueFacts(
                    settings.queueUrl().endsWith(".fifo"),
                    receives.find() ? Integer.parseInt(receives.group(1)) : 0,
                    url);
        } catch (QueueDoesNotExistException e) {
            throw new IllegalStateException(
                    "There is no queue at "
                            + settings.queueUrl()
                            + ". Make it, or correct the URL.",
                    e);
        } catch (SdkException e) {
            throw new IllegalStateException(
                    "Queue %s does not answer us: %s. Look at endpoint, region and credentials of the client."
                            .formatted(settings.queueUrl(), e.getMessage()),
                    e);
        }
    }

    private static String urlOf(SqsClient client, String arn) {
        String name = arn.substring(arn.lastIndexOf(':') + 1);
        return client.getQueueUrl(request -> request.queueName(name)).queueUrl();
    }
}
