package io.sluice.conformance.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;

/// A group member that polls and commits until it is killed. Arguments: bootstrap, group, topic, assignor, session time-out in milliseconds.
public final class DoomedMember {
    private DoomedMember() {}

    public static void main(String... arguments) {
        Map<String, Object> settings =
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        arguments[0],
                        ConsumerConfig.GROUP_ID_CONFIG,
                        arguments[1],
                        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                        arguments[3],
                        ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                        Integer.valueOf(arguments[4]),
                        ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
                        500,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false);
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(arguments[2]));
            int assigned = -1;
            while (true) {
                consumer.poll(Duration.ofMillis(100));
                if (consumer.assignment().size() != assigned) {
                    assigned = consumer.assignment().size();
                    System.out.println("assigned " + assigned);
                }
            }
        }
    }
}
