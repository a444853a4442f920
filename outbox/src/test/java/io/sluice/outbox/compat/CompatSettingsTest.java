package io.sluice.outbox.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CompatSettingsTest {
    @Test
    @DisplayName("O5: the document's names and defaults")
    void theDocumentsDefaults() {
        CompatSettings settings = CompatSettings.of(Map.of(), Map.of());
        assertThat(settings.batchSize()).isEqualTo(500);
        assertThat(settings.fixedDelay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(settings.backoff().after(1)).hasSeconds(5);
        assertThat(settings.backoff().after(100)).hasSeconds(600);
        assertThat(settings.slowProcessing()).hasSeconds(3);
        assertThat(settings.instanceId()).isZero();
        assertThat(settings.totalInstances()).isEqualTo(1);
    }

    @Test
    void theEnvironmentIsStrongerThanTheProperties() {
        Map<String, String> properties =
                Map.of("app.outbox.relay.instanceId", "0", "app.outbox.relay.totalInstances", "2");
        CompatSettings settings =
                CompatSettings.of(
                        Map.of("RELAY_INSTANCE_ID", "2", "RELAY_TOTAL_INSTANCES", "3"), properties);
        assertThat(settings.instanceId()).isEqualTo(2);
        assertThat(settings.totalInstances()).isEqualTo(3);
    }

    @Test
    @DisplayName(
            "O5: a wrong setting is refused, and the error names the variable, the value and the"
                    + " bound")
    void wrongSettingsAreNamed() {
        refused(
                "RELAY_INSTANCE_ID=3: it must be from 0 to 2, since RELAY_TOTAL_INSTANCES is 3",
                "3",
                "3");
        refused("RELAY_INSTANCE_ID=-1: it must be from 0 to 2", "-1", "3");
        refused("RELAY_TOTAL_INSTANCES=0: it must be at least 1", "0", "0");
        refused("RELAY_INSTANCE_ID=one: it must be a whole number", "one", "3");
    }

    private static void refused(String message, String id, String total) {
        Map<String, String> environment =
                Map.of("RELAY_INSTANCE_ID", id, "RELAY_TOTAL_INSTANCES", total);
        assertThatThrownBy(() -> CompatSettings.of(environment, Map.of()))
                .hasMessageContaining(message);
    }
}
