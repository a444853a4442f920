package io.sluice.outbox.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /// A lease of no time would let two instances claim the same event; times beyond what the producer's settings can hold would turn negative.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "timeoutSeconds | 0       | from 1 to 3600",
                "timeoutSeconds | 9000000 | from 1 to 3600",
                "fixedDelayMs   | 0       | at least 1",
                "batchSize      | 0       | at least 1",
                "baseBackoffMs  | 0       | at least 1",
                "maxBackoffMs   | 4999    | at least baseBackoffMs, which is 5000",
            })
    void timesThatCannotBeMeantAreNamed(String name, String value, String bound) {
        assertThatThrownBy(
                        () ->
                                CompatSettings.of(
                                        Map.of(), Map.of("app.outbox.relay." + name, value)))
                .hasMessage("app.outbox.relay.%s=%s: it must be %s".formatted(name, value, bound));
    }

    private static void refused(String message, String id, String total) {
        Map<String, String> environment =
                Map.of("RELAY_INSTANCE_ID", id, "RELAY_TOTAL_INSTANCES", total);
        assertThatThrownBy(() -> CompatSettings.of(environment, Map.of()))
                .hasMessageContaining(message);
    }
}
