package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake.OrderKept;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
/// @param largest how large a message may be, in bytes
record QueueFacts(boolean fifo, int mostReceives, int largest, @Nullable String deadLetterUrl) {
    /// Where a queue does not say: what every queue takes.
    private static final String USUAL_LARGEST = "262144";

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
                    Integer.parseInt(
                            attributes.getOrDefault(
                                    QueueAttributeName.MAXIMUM_MESSAGE_SIZE, USUAL_LARGEST)),
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

    /// What such a queue cannot do for lanes that keep order like this.
    List<String> remarks(Set<OrderKept> orders) {
        List<String> remarks = new ArrayList<>();
        if (fifo && orders.contains(OrderKept.NONE)) {
            remarks.add(
                    "it is FIFO, but a lane of its messages keeps no order: those of one group may run at the same time. Use Order.KEY");
        }
        if (fifo && orders.contains(OrderKept.CONTINUES)) {
            remarks.add(
                    "it is FIFO, and delivers nothing of a group while a failed message of it waits for its next attempt: only those that came in the same answer"
                            + " continue. Use WhenOrdered.WAIT, or a standard queue if the others must go on");
        }
        if (!fifo && (orders.contains(OrderKept.WAITS) || orders.contains(OrderKept.CONTINUES))) {
            remarks.add(
                    "it is a standard queue, which delivers in any order: a lane of its messages that keeps order keeps only that of their arrival, and messages of one group are not"
                            + " kept apart at other workers. Use a FIFO queue, or Order.NONE");
        }
        return remarks;
    }

    private static String urlOf(SqsClient client, String arn) {
        String name = arn.substring(arn.lastIndexOf(':') + 1);
        return client.getQueueUrl(request -> request.queueName(name)).queueUrl();
    }
}
