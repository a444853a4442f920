package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.settings.InvalidSetting;
import io.sluice.settings.Settings;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ControllerSettingsTest {
    private static ControllerSettings with(String interval, String timeout) {
        return ControllerSettings.from(
                new Settings(
                        Map.of(
                                "cluster.heartbeat-interval", interval,
                                "cluster.heartbeat-timeout", timeout)));
    }

    @Test
    void threeSignsOfLifeFitIntoATimeout() {
        assertThat(with("1s", "3s").heartbeatInterval()).isEqualTo(Duration.ofSeconds(1));
    }

    /// Such a broker would be in doubt of its own place between any two of its signs of life.
    @Test
    void anIntervalThatIsTooLongForTheTimeoutIsRefusedWithTheWayOut() {
        assertThatThrownBy(() -> with("2s", "3s"))
                .isInstanceOf(InvalidSetting.class)
                .hasMessage(
                        "Setting 'cluster.heartbeat-interval' is 2s, which is more than a third of 'cluster.heartbeat-timeout' (3s): brokers that live would be held for dead."
                                + " Make the interval 1s or less, or the time-out 6s or more.");
    }

    @Test
    void aTimeoutThatIsTooShortForTheUsualIntervalIsRefused() {
        assertThatThrownBy(
                        () ->
                                ControllerSettings.from(
                                        new Settings(Map.of("cluster.heartbeat-timeout", "1s"))))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("Make the interval 333ms or less");
    }
}
