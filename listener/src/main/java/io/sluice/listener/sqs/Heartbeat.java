package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.thread.SteadyThread;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchResponse;

/// Renews the leases of messages that are worked on, ten at a time, and cancels jobs whose lease is lost.
///
/// One thread of its own: slow jobs, slow polls and slow acknowledgements cannot make it late.
final class Heartbeat implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

    /// What SQS takes in one request.
    static final int BATCH = 10;

    private final SqsSettings settings;
    private final Leases leases;
    private final Verdicts verdicts;
    private final Intake intake;
    private final SteadyThread thread;
    private final long pauseMillis;
    private volatile long latenessNanos;

    Heartbeat(SqsSettings settings, Leases leases, Verdicts verdicts, Intake intake) {
        this.settings = settings;
        this.leases = leases;
        this.verdicts = verdicts;
        this.intake = intake;
        this.pauseMillis = Math.max(50, settings.lease().toMillis() / 12);
        this.thread =
                new SteadyThread(
                        "sluice-leases-" + settings.queue(),
                        "A round of lease renewals failed",
                        this::round);
    }

    void start() {
        thread.start();
    }

    /// How late the latest renewal of the last round was.
    long latenessNanos() {
        return latenessNanos;
    }

    Thread thread() {
        return thread.thread();
    }

    private boolean round() throws InterruptedException {
        Thread.sleep(pauseMillis);
        beat(System.nanoTime());
        return true;
    }

    void beat(long nowNanos) {
        Leases.Look look = leases.look(nowNanos);
        latenessNanos = look.latenessNanos();
        for (Message message : look.expired()) {
            intake.lost(message, "its lease could not be renewed within " + settings.lease());
        }
        for (int from = 0; from < look.renew().size(); from += BATCH) {
            renew(look.renew().subList(from, Math.min(from + BATCH, look.renew().size())));
        }
        // Last: one of them that cannot be told, again and again, must not keep the others from
        // being renewed.
        for (Message message : look.tooLong()) {
            String why = "its job takes longer than " + settings.longestJob();
            intake.overdue(message, why);
            verdicts.reclaim(message, why);
            leases.toldTooLong(message);
        }
    }

    private void renew(List<Message> due) {
        // What has gone back since the look is not ours to hide any more.
        List<Message> messages = leases.beginRenewal(due);
        try {
            if (!messages.isEmpty()) {
                ask(messages);
            }
        } finally {
            leases.endRenewal();
        }
    }

    private void ask(List<Message> messages) {
        List<ChangeMessageVisibilityBatchRequestEntry> entries = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            entries.add(
                    ChangeMessageVisibilityBatchRequestEntry.builder()
                            .id(Integer.toString(i))
                            .receiptHandle(Receipt.of(messages.get(i)).handle())
                            .visibilityTimeout((int) settings.lease().toSeconds())
                            .build());
        }
        long asked = System.nanoTime();
        try {
            ChangeMessageVisibilityBatchResponse response =
                    settings.client()
                            .changeMessageVisibilityBatch(
                                    request ->
                                            request.queueUrl(settings.queueUrl())
                                                    .entries(entries)
                                                    .overrideConfiguration(this::answerInTime));
            response.successful()
                    .forEach(
                            entry ->
                                    leases.renewed(
                                            messages.get(Integer.parseInt(entry.id())), asked));
            for (BatchResultErrorEntry failure : response.failed()) {
                refused(messages.get(Integer.parseInt(failure.id())), failure);
            }
        } catch (RuntimeException e) {
            // The next beat tries again; there are several before a lease expires.
            log.warn(
                    "Leases of {} messages could not be renewed: {}",
                    messages.size(),
                    e.toString());
        }
    }

    /// One that hangs must leave time for the next one: a renewal begins at a third of a lease.
    private void answerInTime(AwsRequestOverrideConfiguration.Builder request) {
        request.apiCallTimeout(settings.lease().dividedBy(3));
    }

    private void refused(Message message, BatchResultErrorEntry failure) {
        if (Boolean.TRUE.equals(failure.senderFault())) {
            leases.end(message);
            intake.lost(
                    message,
                    "the queue no longer leases it to us: "
                            + failure.code()
                            + " "
                            + failure.message());
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
