package io.sluice.spring;

import io.sluice.listener.message.Source;
import io.sluice.listener.sqs.SqsSettings;
import io.sluice.listener.sqs.SqsSource;
import io.sluice.spring.settings.SourceProperties;
import java.util.function.Supplier;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.QueueDoesNotExistException;

/// Opens queues of Amazon SQS, or of anything with its API.
///
/// Thread-safe.
final class QueueOpener implements SourceOpener {
    private final Supplier<SqsClient> client;

    QueueOpener(Supplier<SqsClient> client) {
        this.client = client;
    }

    @Override
    public boolean queues() {
        return true;
    }

    @Override
    public Source open(String address, SourceProperties said) {
        SqsClient sqs = client.get();
        SqsSettings settings =
                SqsSettings.of(sqs, url(sqs, address))
                        .longPoll(said.longPoll())
                        .lease(said.lease(), said.longestJob())
                        .dropDeadLetters(said.dropDeadLetters());
        String deadLetters = said.deadLetters();
        return new SqsSource(
                deadLetters == null ? settings : settings.deadLetters(url(sqs, deadLetters)));
    }

    private static String url(SqsClient sqs, String address) {
        if (address.startsWith("http://") || address.startsWith("https://")) {
            return address;
        }
        try {
            return sqs.getQueueUrl(request -> request.queueName(address)).queueUrl();
        } catch (QueueDoesNotExistException e) {
            throw new IllegalStateException(
                    "There is no queue named " + address + ". Make it, or correct the name.", e);
        }
    }
}
