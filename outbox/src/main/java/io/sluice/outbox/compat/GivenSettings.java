package io.sluice.outbox.compat;

import io.sluice.outbox.RelaySettings;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What somebody has set of the document's settings, before it is known for which mode: id and total are numbers in compat mode only, and are looked at as such only there.
///
/// Immutable.
///
/// @param environment `RELAY_INSTANCE_ID` and `RELAY_TOTAL_INSTANCES`, which win
/// @param properties `app.outbox.relay.*`
public record GivenSettings(Map<String, String> environment, Map<String, String> properties) {
    private static final String ID = CompatSettings.PREFIX + "instanceId";
    private static final String TOTAL = CompatSettings.PREFIX + "totalInstances";

    public GivenSettings {
        environment = Map.copyOf(environment);
        properties = Map.copyOf(properties);
    }

    public CompatSettings forCompatMode() {
        return CompatSettings.of(environment, properties);
    }

    /// Log mode with whatever of these has a meaning there; its own defaults stay where nobody has set anything. The id is a name, whatever it is, and the number of instances means nothing: relays find each other.
    public RelaySettings forLogMode(RelaySettings defaults) {
        Map<String, String> shared = new HashMap<>(properties);
        shared.remove(ID);
        shared.remove(TOTAL);
        CompatSettings documents = CompatSettings.of(Map.of(), shared);
        RelaySettings settings = defaults.withParking(documents.backoff());
        if (shared.containsKey(CompatSettings.PREFIX + "batchSize")) {
            settings = settings.withPage(documents.batchSize(), defaults.pageBytes());
        }
        if (shared.containsKey(CompatSettings.PREFIX + "fixedDelayMs")) {
            settings = settings.withIdleWait(documents.fixedDelay());
        }
        String id = firstOf(environment.get(CompatSettings.INSTANCE_ID), properties.get(ID));
        return id.isEmpty() ? settings : settings.withName("relay-" + id);
    }

    private static String firstOf(@Nullable String variable, @Nullable String property) {
        if (variable != null && !variable.isBlank()) {
            return variable.strip();
        }
        return property == null ? "" : property.strip();
    }
}
