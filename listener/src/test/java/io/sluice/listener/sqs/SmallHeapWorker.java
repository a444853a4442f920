package io.sluice.listener.sqs;

import io.sluice.listener.SmallHeap;
import java.time.Duration;

/// A worker on a queue with little memory.
final class SmallHeapWorker {
    private SmallHeapWorker() {}

    /// @param args port of the SQS endpoint, queue URL, how many documents
    public static void main(String[] args) throws InterruptedException {
        try (var client = Queues.client(Integer.parseInt(args[0]))) {
            SmallHeap.read(
                    new SqsSource(SqsSettings.of(client, args[1]).longPoll(Duration.ofSeconds(1))),
                    Integer.parseInt(args[2]));
        }
    }
}
