package io.sluice.outbox.spring;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.Replication;
import io.sluice.outbox.compat.CompatSettings;
import io.sluice.outbox.compat.GivenSettings;
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
/// @param given the document's settings, to be looked at by compat mode only where that is the mode: its numbers are names in the others
/// @param byLanes settings of the other modes
record RelayPlan(
        OutboxProperties.Mode mode,
        OutboxTable table,
        String topic,
        Map<String, Object> producer,
        GivenSettings given,
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
        GivenSettings given = new GivenSettings(variables, relay.given());
        RelaySettings settings =
                given.forLogMode(
                        RelaySettings.of(topic, producer)
                                .withTable(properties.outboxTable())
                                .withGuarantee(relay.guarantee())
                                .withRetention(relay.retention()));
        if (relay.wal() && replication != null) {
            settings =
                    settings.withReplication(
                            relay.unboundedSlot() ? replication.unbounded() : replication);
        }
        return new RelayPlan(
                relay.mode(), properties.outboxTable(), topic, producer, given, settings);
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
