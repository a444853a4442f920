package io.sluice.listener.kafka;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/// A worker with little memory: three jobs at once, which look at all of their document. Says how much it has read, and ends.
final class SmallHeapWorker {
    private SmallHeapWorker() {}

    /// @param args servers, topic, how many documents
    public static void main(String[] args) throws InterruptedException {
        var left = new CountDownLatch(Integer.parseInt(args[2]));
        var read = new AtomicLong();
        var source =
                new KafkaSource(
                        KafkaSettings.of(
                                Map.of("bootstrap.servers", args[0], "group.id", args[1]),
                                args[1]));
        try (Listener listener =
                Listener.of(source)
                        .lane(
                                LaneSettings.lane(
                                        "all",
                                        new FixedLimit(3),
                                        job -> {
                                            read.addAndGet(job.message().text().length());
                                            left.countDown();
                                        }))
                        .start()) {
            left.await();
            System.out.println("read " + read.get() + " " + listener.lanes().getFirst().done());
        }
    }
}
