package io.sluice.benchmarks.pulse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RequestPulseTest {
    @Test
    void itTellsWhatTheRequestsCostAndLeavesNothing(@TempDir Path folder) throws Exception {
        RequestPulse pulse = new RequestPulse();
        assertThat(pulse.describe()).isEmpty();
        pulse.take(folder);
        assertThat(pulse.describe())
                .containsPattern("million requests .* took [0-9.]*[1-9][0-9.]* CPU s");
        try (var left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }
}
