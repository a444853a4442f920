package io.sluice.listener.kafka;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/// A process that does some jobs, hangs in the others, and is killed. Prints each value that it has done.
///
/// Arguments: bootstrap servers, topic, group, how many jobs to do.
final class KilledListener {
    static final String DONE = "done ";
    static final String HANGS = "hangs";

    private KilledListener() {}

    public static void main(String[] args) {
        int most = Integer.parseInt(args[3]);
        var done = new AtomicInteger();
        var hanging = new AtomicInteger();
        var ignored =
                Listener.of(new KafkaSource(KafkaSettings.of(settings(args[0], args[2]), args[1])))
                        .lane(
                                LaneSettings.lane(
                                        "all",
                                        new FixedLimit(4),
                                        job -> {
                                            if (done.incrementAndGet() > most) {
                                                if (hanging.incrementAndGet() == 4) {
                                                    System.out.println(HANGS);
                                                    System.out.flush();
                                                }
                                                new CountDownLatch(1).await();
                                            }
                                            System.out.println(DONE + job.message().text());
                                            System.out.flush();
                                        }))
                        .start();
    }

    /// A static member: its successor takes the partitions over at once instead of after the session time-out.
    static Map<String, Object> settings(String servers, String group) {
        return Map.of(
                "bootstrap.servers", servers, "group.id", group, "group.instance.id", "worker-1");
    }
}
