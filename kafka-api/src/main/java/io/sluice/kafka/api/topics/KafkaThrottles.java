package io.sluice.kafka.api.topics;

import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import java.util.Set;

/// The settings by which Apache Kafka's tools limit moves, broker by broker and topic by topic. There are none here: one limit counts for all brokers.
///
/// Where a move has ended or is taken back, `kafka-reassign-partitions.sh` removes them without having set any, and fails if it may not. What is not there is removed already. Stateless.
final class KafkaThrottles {
    private static final Set<String> NAMES =
            Set.of(
                    "leader.replication.throttled.rate",
                    "follower.replication.throttled.rate",
                    "replica.alter.log.dirs.io.max.bytes.per.second",
                    "leader.replication.throttled.replicas",
                    "follower.replication.throttled.replicas");

    private KafkaThrottles() {}

    /// It is about these alone.
    static boolean areMeant(AlterConfigsResource resource) {
        return !resource.configs().isEmpty()
                && resource.configs().stream().allMatch(config -> NAMES.contains(config.name()));
    }

    static ConfigChange.Result answer(AlterConfigsResource resource) {
        boolean isSet =
                resource.configs().stream()
                        .anyMatch(
                                config ->
                                        config.configOperation()
                                                != IncrementalAlterConfigsHandler.DELETE);
        return isSet
                ? ConfigChange.Result.refused(
                        ErrorCode.INVALID_CONFIG,
                        "Moves have one limit for all brokers here: leave '--throttle' out, and set it with 'sluice rebalance --status --throttle 50MiB'.")
                : new ConfigChange.Result(ErrorCode.NONE, null);
    }
}
