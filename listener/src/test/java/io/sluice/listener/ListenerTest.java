package io.sluice.listener;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.CalibratingLimit;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.limit.Limit.Progress;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A calibration that waits for a backlog that does not come.
@Timeout(60)
class ListenerTest {
    private final Listener listener =
            Listener.of(new QueueInMemory())
                    .lane(LaneSettings.lane("all", new FixedLimit(2, 4), job -> {}))
                    .start();

    private static CalibratingLimit upToFour() {
        return new CalibratingLimit(4, Progress.WORK, Duration.ofSeconds(1), 1);
    }

    @Test
    void aCalibrationEndsWhenTheListenerStopsAndThereIsOneAtATime() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> first = threads.submit(() -> listener.calibrate("all", upToFour()));
            until("it has begun", () -> listener.lanes().getFirst().limit() == 1);
            assertThatThrownBy(() -> listener.calibrate("all", upToFour()))
                    .hasMessage("Lane all is being calibrated already.");
            assertThat(listener.lanes().getFirst().limit()).isEqualTo(1);

            listener.stop(Duration.ofSeconds(10));
            assertThatThrownBy(first::get)
                    .isInstanceOf(ExecutionException.class)
                    .rootCause()
                    .hasMessage("The listener stops.");
            assertThat(listener.lanes().getFirst().limit()).as("its own again").isEqualTo(2);
        }
    }
}
