package io.sluice.client;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.StringDeserializer;

/// A process that works on records and hangs in the middle of a batch until somebody kills it. Prints each value that it
/// begins to work on.
///
/// Arguments: bootstrap servers, topic, group, delivery, profile, how many records to finish before hanging.
final class KilledConsumer {
    /// In front of each value, so that nothing else on stdout is taken for one.
    static final String BEGUN = "begun ";

    private KilledConsumer() {}

    public static void main(String[] args) {
        Delivery delivery = Delivery.labelled(args[3]);
        Profile profile = Profile.labelled(args[4]);
        int finish = Integer.parseInt(args[5]);
        var consumer =
                new Preset(delivery, profile)
                        .openConsumer(
                                settings(args[0], args[2]),
                                new StringDeserializer(),
                                new StringDeserializer());
        int[] begun = {0};
        new ConsumeLoop<>(
                        consumer,
                        delivery,
                        OnFailure.stop(),
                        record -> {
                            System.out.println(BEGUN + record.value());
                            System.out.flush();
                            if (++begun[0] > finish) {
                                new CountDownLatch(1).await();
                            }
                        })
                .run(List.of(args[1]));
    }

    /// A static member: its successor takes the partitions over at once instead of after the session time-out.
    static Map<String, Object> settings(String servers, String group) {
        return Map.of(
                "bootstrap.servers",
                servers,
                "group.id",
                group,
                "group.instance.id",
                "worker-1",
                "auto.offset.reset",
                "earliest");
    }
}
