package io.sluice.outbox.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.RelaySettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GivenSettingsTest {
    private static final RelaySettings DEFAULTS =
            RelaySettings.of("t", Map.of("bootstrap.servers", "localhost:1"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1    |      | RELAY_INSTANCE_ID=1: it must be from 0 to 0, since RELAY_TOTAL_INSTANCES is 1",
                "3    | 3    | RELAY_INSTANCE_ID=3: it must be from 0 to 2, since RELAY_TOTAL_INSTANCES is 3",
                "-1   | 3    | RELAY_INSTANCE_ID=-1: it must be from 0 to 2, since RELAY_TOTAL_INSTANCES is 3",
                "blue | 3    | RELAY_INSTANCE_ID=blue: it must be a whole number",
                "0    | many | RELAY_TOTAL_INSTANCES=many: it must be a whole number",
            })
    @DisplayName(
            "O5: what is no number of an instance is a name in log mode, and refused in compat mode")
    void theIdIsANameInLogModeOnly(String id, @Nullable String total, String refusal) {
        Map<String, String> environment = new HashMap<>(Map.of("RELAY_INSTANCE_ID", id));
        if (total != null) {
            environment.put("RELAY_TOTAL_INSTANCES", total);
        }
        GivenSettings given = new GivenSettings(environment, Map.of());
        assertThat(given.forLogMode(DEFAULTS).name()).isEqualTo("relay-" + id);
        assertThatThrownBy(given::forCompatMode).hasMessage(refusal);
    }

    @Test
    void theVariableWinsOverTheProperty() {
        Map<String, String> properties = Map.of("app.outbox.relay.instanceId", "blue");
        assertThat(name(Map.of("RELAY_INSTANCE_ID", "red"), properties)).isEqualTo("relay-red");
        assertThat(name(Map.of("RELAY_INSTANCE_ID", " "), properties)).isEqualTo("relay-blue");
        assertThat(name(Map.of(), Map.of())).isEqualTo(DEFAULTS.name());
    }

    @Test
    void logModesOwnDefaultsStayWhereNobodyHasSetAnything() {
        RelaySettings settings = new GivenSettings(Map.of(), Map.of()).forLogMode(DEFAULTS);
        assertThat(settings.pageRows()).isEqualTo(DEFAULTS.pageRows());
        assertThat(settings.idleWait()).isEqualTo(DEFAULTS.idleWait());
        settings =
                new GivenSettings(
                                Map.of(),
                                Map.of(
                                        "app.outbox.relay.batchSize", "7",
                                        "app.outbox.relay.fixedDelayMs", "70"))
                        .forLogMode(DEFAULTS);
        assertThat(settings.pageRows()).isEqualTo(7);
        assertThat(settings.idleWait()).isEqualTo(Duration.ofMillis(70));
    }

    private static String name(Map<String, String> environment, Map<String, String> properties) {
        return new GivenSettings(environment, properties).forLogMode(DEFAULTS).name();
    }
}
