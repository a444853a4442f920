package io.sluice.chaos.load;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/// How the load's clients are set up: as their documentation advises those who want to lose nothing.
///
/// Two defaults are changed for producers and readers alike: a request may take 2 s instead of 30 s, and a connection 1 s instead of 10 s. A frozen broker answers nothing and closes nothing, one that is cut off
/// does not even take a connection, so these are the earliest that a client can know; with the defaults every such gap would show the client and not the cluster.
///
/// Immutable.
public record Clients(String bootstrap) {
    private static final int REQUEST_TIMEOUT_MILLIS = 2_000;
    private static final int CONNECT_TIMEOUT_MILLIS = 1_000;

    KafkaProducer<String, String> producer(String name) {
        Map<String, Object> settings = common(name);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        // Longer than any fault lasts: a message that is given up leaves a hole in what can be
        // checked.
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 180_000);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 60_000);
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    /// A consumer that is told where to read, and that is not silently taken elsewhere when its position is gone.
    KafkaConsumer<String, String> reader(String name) {
        Map<String, Object> settings = common(name);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        return consumer(settings);
    }

    /// A member of a group that starts at the beginning and commits by hand.
    KafkaConsumer<String, String> member(String name, String group) {
        Map<String, Object> settings = common(name);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 20_000);
        return consumer(settings);
    }

    private static KafkaConsumer<String, String> consumer(Map<String, Object> settings) {
        settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 10_000);
        settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 300);
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    private Map<String, Object> common(String name) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(CommonClientConfigs.CLIENT_ID_CONFIG, name);
        settings.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MILLIS);
        settings.put(
                CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG,
                (long) CONNECT_TIMEOUT_MILLIS);
        settings.put(
                CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG,
                (long) CONNECT_TIMEOUT_MILLIS);
        return settings;
    }
}
