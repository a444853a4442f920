package io.sluice.listener.kafka;

import io.sluice.listener.SmallHeap;
import java.util.Map;

/// A worker of a consumer group with little memory.
final class SmallHeapWorker {
    private SmallHeapWorker() {}

    /// @param args servers, topic, how many documents
    public static void main(String[] args) throws InterruptedException {
        var client = Map.<String, Object>of("bootstrap.servers", args[0], "group.id", args[1]);
        SmallHeap.read(
                new KafkaSource(KafkaSettings.of(client, args[1])), Integer.parseInt(args[2]));
    }
}
