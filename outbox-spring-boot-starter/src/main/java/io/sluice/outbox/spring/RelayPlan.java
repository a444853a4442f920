package io.sluice.outbox.spring;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.Replication;
import io.sluice.outbox.compat.CompatSettings;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/// All that a relay needs to know, from properties and from the document's variables.
///
/// Immutable.
///
/// @param documents settings of compat mode
/// @param byLanes settings of the other modes
record RelayPlan(
        OutboxProperties.Mode mode,
        OutboxTable table,
        String topic,
        Map<String, Object> producer,
        CompatSettings documents,
        RelaySettings byLanes) {
    private static final String[] BOOTSTRAP = {
        "spring.kafka.bootstrap-servers", "KAFKA_BOOTSTRAP_SERVERS"
    };

    /// @param replication the way to the database's log, if there is one
    static RelayPlan of(
            OutboxProperties properties,
            String topic,
            Environment environment,
            @Nullable Replication replication) {
        OutboxProperties.Relay relay = properties.relay();
        Map<String, Object> producer = producer(relay, environment);
        Map<String, String> variables = new HashMap<>();
        for (String name :
                new String[] {CompatSettings.INSTANCE_ID, CompatSettings.TOTAL_INSTANCES}) {
            String value = environment.getProperty(name);
            if (value != null) {
                variables.put(name, value);
            }
        }
        Map<String, String> given = relay.given();
        CompatSettings documents = CompatSettings.of(variables, given);
        RelaySettings settings =
                documents.forLogMode(
                        RelaySettings.of(topic, producer)
                                .withTable(properties.outboxTable())
                                .withGuarantee(relay.guarantee())
                                .withRetention(relay.retention()),
                        given.keySet());
        if (variables.containsKey(CompatSettings.INSTANCE_ID) || relay.instanceId() != null) {
            settings = settings.withName("relay-" + documents.instanceId());
        }
        if (relay.wal() && replication != null) {
            settings =
                    settings.withReplication(
                            relay.unboundedSlot() ? replication.unbounded() : replication);
        }
        return new RelayPlan(
                relay.mode(), properties.outboxTable(), topic, producer, documents, settings);
    }

    /// `spring.kafka`'s broker and security, and what is said for the relay alone.
    private static Map<String, Object> producer(
            OutboxProperties.Relay relay, Environment environment) {
        Map<String, Object> producer = new HashMap<>();
        for (String name : BOOTSTRAP) {
            String servers = environment.getProperty(name);
            if (servers != null && !servers.isBlank()) {
                producer.putIfAbsent("bootstrap.servers", servers);
            }
        }
        var map = Bindable.mapOf(String.class, String.class);
        Binder binder = Binder.get(environment);
        binder.bind("spring.kafka.properties", map).ifBound(producer::putAll);
        binder.bind("spring.kafka.producer.properties", map).ifBound(producer::putAll);
        producer.putAll(relay.producer());
        producer.putIfAbsent("bootstrap.servers", "localhost:9092");
        return producer;
    }
}
