package io.sluice.listener.sqs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.sqs.SqsClient;

/// What an [SqsSource] listens to, and how.
///
/// Immutable. The client stays the caller's: he made it, he closes it.
///
/// @param longPoll how long a poll waits for messages, at most 20 s
/// @param lease for how long a message is invisible to others, renewed at a third of it
/// @param longestJob how long a lease is renewed; a job that takes longer is cancelled, and its message comes again
/// @param deadLetterUrl where dead letters go; none: where the queue's redrive policy says
/// @param dropDeadLetters without any dead-letter queue: delete them with an entry in the log instead of refusing to start
public record SqsSettings(
        SqsClient client,
        String queueUrl,
        Duration longPoll,
        Duration lease,
        Duration longestJob,
        @Nullable String deadLetterUrl,
        boolean dropDeadLetters) {

    public SqsSettings {
        if (longPoll.isNegative() || longPoll.compareTo(Duration.ofSeconds(20)) > 0) {
            throw new IllegalArgumentException(
                    "SQS polls wait from 0 to 20 s, not " + longPoll + ".");
        }
        if (lease.compareTo(Duration.ofSeconds(2)) < 0
                || lease.compareTo(Duration.ofHours(12)) > 0) {
            throw new IllegalArgumentException(
                    "An SQS lease lasts from 2 s to 12 h, not " + lease + ".");
        }
        if (longestJob.compareTo(lease) < 0) {
            throw new IllegalArgumentException(
                    "The longest job ("
                            + longestJob
                            + ") is shorter than a lease ("
                            + lease
                            + "): it would never be renewed. Make it longer, or the lease shorter.");
        }
    }

    public static SqsSettings of(SqsClient client, String queueUrl) {
        return new SqsSettings(
                client,
                queueUrl,
                Duration.ofSeconds(20),
                Duration.ofSeconds(30),
                Duration.ofHours(1),
                null,
                false);
    }

    public SqsSettings longPoll(Duration time) {
        return new SqsSettings(
                client, queueUrl, time, lease, longestJob, deadLetterUrl, dropDeadLetters);
    }

    public SqsSettings lease(Duration time, Duration newLongestJob) {
        return new SqsSettings(
                client, queueUrl, longPoll, time, newLongestJob, deadLetterUrl, dropDeadLetters);
    }

    public SqsSettings deadLetters(String url) {
        return new SqsSettings(client, queueUrl, longPoll, lease, longestJob, url, dropDeadLetters);
    }

    public SqsSettings dropDeadLetters(boolean drop) {
        return new SqsSettings(client, queueUrl, longPoll, lease, longestJob, deadLetterUrl, drop);
    }

    String queue() {
        return queueUrl.substring(queueUrl.lastIndexOf('/') + 1);
    }
}
