package io.sluice.spring;

import io.sluice.listener.kafka.KafkaSettings;
import io.sluice.listener.kafka.KafkaShareSource;
import io.sluice.listener.kafka.KafkaSource;
import io.sluice.listener.message.Source;
import io.sluice.spring.settings.ListenerProperties;
import io.sluice.spring.settings.SourceProperties;
import java.util.HashMap;
import java.util.Map;
import org.springframework.core.env.Environment;

/// Opens topics of Sluice, or of any other Kafka-compatible broker.
///
/// Immutable.
final class TopicOpener implements SourceOpener {
    private final ListenerProperties.Kafka kafka;
    private final Environment environment;

    TopicOpener(ListenerProperties.Kafka kafka, Environment environment) {
        this.kafka = kafka;
        this.environment = environment;
    }

    @Override
    public boolean queues() {
        return false;
    }

    @Override
    public Source open(String address, SourceProperties said) {
        Map<String, Object> client = new HashMap<>(kafka.client());
        String servers = kafka.bootstrapServers();
        client.putIfAbsent(
                "bootstrap.servers",
                servers != null ? servers : required("spring.kafka.bootstrap-servers", address));
        client.put(
                "group.id",
                said.group() != null ? said.group() : required("spring.application.name", address));
        try {
            KafkaSettings settings =
                    KafkaSettings.of(client, address).longestJob(said.longestJob());
            return said.shareGroup() ? new KafkaShareSource(settings) : new KafkaSource(settings);
        } catch (IllegalArgumentException e) {
            throw new ListenerConfigurationException(
                    "%s.kafka.client: %s".formatted(ListenerProperties.PREFIX, e.getMessage()),
                    "It is about topic " + address + ".");
        }
    }

    private String required(String property, String topic) {
        String value = environment.getProperty(property);
        if (value == null || value.isBlank()) {
            boolean servers = property.contains("bootstrap");
            throw new ListenerConfigurationException(
                    "Nothing says %s topic %s."
                            .formatted(
                                    servers
                                            ? "which brokers have"
                                            : "as which consumer group to read",
                                    topic),
                    "Set %s or %s."
                            .formatted(
                                    servers
                                            ? "sluice.listener.kafka.bootstrap-servers"
                                            : "sluice.listener.sources." + topic + ".group",
                                    property));
        }
        return value;
    }
}
