package io.sluice.benchmarks.listener;

import io.sluice.benchmarks.listener.Subject.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.Message;

/// The time of a trivial message, against a loop of receive and delete with nothing in between. Endless where not all were done within a minute.
///
/// Compilers, here and in the queue's process, make both faster for minutes: the loop has its turn before and after, and what counts is the middle between them.
final class OverheadMeasure implements Measure {
    private static final int SLOTS = 10;

    /// The loop needs a few seconds. Who loses slots gets slower and slower, and may be an hour at it.
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "overhead";
    }

    @Override
    public int rounds() {
        return 3;
    }

    @Override
    public void take(int port, Pace pace, Results results) throws Exception {
        int count = pace.jobs(4_000);
        for (Subject subject : Subject.values()) {
            try (var queue = new BenchQueue(port)) {
                double _ = bareLoop(queue, count / 4);
                double _ = listen(subject, queue, count / 4);
                double before = bareLoop(queue, count);
                double time = listen(subject, queue, count);
                double after = bareLoop(queue, count);
                results.add(Row.OVERHEAD, subject, 2 * time / (before + after));
            }
        }
    }

    private static double listen(Subject subject, BenchQueue queue, int count)
            throws InterruptedException {
        queue.purge(); // what one that lost its slots has left
        queue.send(count, "light", 0, 0);
        var jobs = new Jobs(queue.received);
        long began = System.nanoTime();
        Running running = subject.start(queue, jobs, SLOTS, Subject.NOTHING);
        try {
            while (jobs.done.get() < count || queue.depth().left() > 0) {
                if (System.nanoTime() - began > PATIENCE.toNanos()) {
                    return Double.POSITIVE_INFINITY;
                }
                Thread.sleep(5);
            }
            return (double) (System.nanoTime() - began);
        } finally {
            running.stop(Duration.ofSeconds(10));
        }
    }

    private static double bareLoop(BenchQueue queue, int count) {
        queue.purge();
        queue.send(count, "light", 0, 0);
        long began = System.nanoTime();
        int done = 0;
        while (done < count) {
            List<Message> messages =
                    queue.client
                            .receiveMessage(
                                    request -> request.queueUrl(queue.url).maxNumberOfMessages(10))
                            .messages();
            if (!messages.isEmpty()) {
                queue.client.deleteMessageBatch(
                        request -> request.queueUrl(queue.url).entries(entries(messages)));
                done += messages.size();
            }
        }
        return (double) (System.nanoTime() - began);
    }

    private static List<DeleteMessageBatchRequestEntry> entries(List<Message> messages) {
        List<DeleteMessageBatchRequestEntry> entries = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            entries.add(
                    DeleteMessageBatchRequestEntry.builder()
                            .id(Integer.toString(i))
                            .receiptHandle(messages.get(i).receiptHandle())
                            .build());
        }
        return entries;
    }
}
