package io.sluice.outbox;

import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import java.util.HashMap;
import java.util.Map;

/// Relays of compat mode that look at the table every 50 ms.
final class CompatRelays {
    private CompatRelays() {}

    /// The only one.
    ///
    /// @param producer settings beside the broker's name
    /// @param settings names without `app.outbox.relay.`
    static CompatRelay start(
            Database database,
            Broker broker,
            String topic,
            Map<String, Object> producer,
            Map<String, String> settings) {
        return start(database, broker, topic, 0, 1, producer, settings);
    }

    static CompatRelay start(
            Database database,
            Broker broker,
            String topic,
            int id,
            int total,
            Map<String, Object> producer,
            Map<String, String> settings) {
        Map<String, Object> all = new HashMap<>(broker.client());
        all.putAll(producer);
        Map<String, String> properties = new HashMap<>();
        properties.put(CompatSettings.PREFIX + "fixedDelayMs", "50");
        settings.forEach((name, value) -> properties.put(CompatSettings.PREFIX + name, value));
        return CompatRelay.start(
                database,
                OutboxTable.TRANSFER_EVENTS,
                topic,
                all,
                CompatSettings.of(
                        Map.of(
                                CompatSettings.INSTANCE_ID,
                                Integer.toString(id),
                                CompatSettings.TOTAL_INSTANCES,
                                Integer.toString(total)),
                        properties));
    }
}
