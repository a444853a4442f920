package io.sluice.benchmarks.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class OfficeLogTest {
    private static final Instant KILLED = Instant.parse("2026-11-15T16:20:30.000Z");

    private final OfficeLog log =
            new OfficeLog(
                    List.of(
                            "Sluice 0.1.0 is the controller, in epoch 0, and this line has no time",
                            "2026-11-15T16:20:29.766Z INFO  ControllerDriver [a] Broker 1 is the controller, in epoch 1",
                            "2026-11-15T16:20:29.900Z INFO  PlanNews [a] 7 partition(s) have a new term of office",
                            "2026-11-15T16:20:31.100Z INFO  PlanNews [b] 3000 partition(s) have a new term of office",
                            "2026-11-15T16:20:30.800Z INFO  PlanNews [b] 334 partition(s) have a new term of office",
                            "2026-11-15T16:20:30.500Z INFO  ControllerDriver [b] Broker 2 is the controller, in epoch 2"));

    @Test
    void theNextControllerActsWithItsFirstElections() {
        assertThat(log.timeToActAfter(KILLED)).isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void whereNobodyTakesOfficeThereIsNoTime() {
        assertThat(log.timeToActAfter(KILLED.plusSeconds(1))).isNull();
    }

    @Test
    void whoElectsNobodyHasNoTime() {
        assertThat(
                        new OfficeLog(
                                        List.of(
                                                "2026-11-15T16:20:31Z x is the controller, in epoch 3"))
                                .timeToActAfter(KILLED))
                .isNull();
    }
}
