package io.sluice.simulation.cluster;

import io.sluice.simulation.SimEntropy;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/// What a seed's cluster looks like. Immutable.
///
/// @param shards owners of partitions in each broker
/// @param inFlight batches that a producer has under way for each partition
public record ClusterShape(
        int brokers,
        int shards,
        TopicShape topic,
        int producers,
        int inFlight,
        boolean careless,
        Duration heartbeatTimeout,
        Duration replicaLagMax,
        Duration sessionTimeout,
        Duration torment,
        Care care) {

    private static final List<Integer> LAGS =
            List.of(
                    TopicShape.ANY_LAG,
                    TopicShape.ANY_LAG,
                    TopicShape.ANY_LAG,
                    TopicShape.ANY_LAG,
                    1,
                    4,
                    20);

    static ClusterShape draw(SimEntropy entropy) {
        int brokers = entropy.pick(List.of(3, 3, 3, 3, 4, 5));
        boolean pageCache = entropy.chance(25);
        TopicShape topic =
                new TopicShape(
                        "orders",
                        entropy.between(1, 3),
                        3,
                        2,
                        pageCache,
                        entropy.pick(List.of(2_000L, 15_000L, 3_600_000L)),
                        entropy.pick(LAGS));
        return new ClusterShape(
                brokers,
                entropy.between(1, 2),
                topic,
                entropy.between(1, 2),
                entropy.pick(List.of(1, 5, 5)),
                entropy.chance(50),
                Duration.ofMillis(entropy.pick(List.of(1_500, 3_000))),
                Duration.ofMillis(entropy.pick(List.of(1_000, 3_000, 10_000))),
                Duration.ofMillis(entropy.pick(List.of(4_000, 6_000, 9_000))),
                Duration.ofSeconds(entropy.between(20, 45)),
                Care.draw(entropy));
    }

    /// Where brokers are.
    public List<String> machines() {
        return IntStream.rangeClosed(1, brokers).mapToObj(ClusterShape::machine).toList();
    }

    static String machine(int broker) {
        return "broker-" + broker;
    }
}
