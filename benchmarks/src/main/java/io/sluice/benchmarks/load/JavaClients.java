package io.sluice.benchmarks.load;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;

/// How the Java clients of a load are set up; what is not said here is as the clients have it by default.
///
/// Immutable.
public record JavaClients(Map<String, Object> producer, Map<String, Object> consumer) {

    public JavaClients {
        producer = Map.copyOf(producer);
        consumer = Map.copyOf(consumer);
    }

    /// The clients' defaults, but for when a send counts as done.
    public static JavaClients byDefault(String bootstrap, Acks acks) {
        return new JavaClients(
                Map.of(
                        CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrap,
                        ProducerConfig.ACKS_CONFIG,
                        acks.setting()),
                Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap));
    }

    /// The same, with a producer that waits for no company.
    public JavaClients withoutLinger() {
        Map<String, Object> settings = new HashMap<>(producer);
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        return new JavaClients(settings, consumer);
    }
}
