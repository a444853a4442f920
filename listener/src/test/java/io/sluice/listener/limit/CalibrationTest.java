package io.sluice.listener.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.listener.limit.Limit.Progress;
import io.sluice.listener.limit.SimulatedLane.Machine;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CalibrationTest {
    private static Curve calibrate(Machine machine, CalibratingLimit limit, double mean) {
        new SimulatedLane(machine, limit, mean, 0.3, 1).run(Duration.ofHours(2));
        return limit.result().join();
    }

    @Test
    @DisplayName("B8: whether 3 is right, for work that computes on 4 cores: it is not, 5 is")
    void answersForWorkThatComputes() {
        Curve curve =
                calibrate(
                        Machine.computing(4, 6),
                        new CalibratingLimit(20, Progress.CPU, Duration.ofSeconds(20), 0),
                        8);

        assertThat(curve.recommended()).isEqualTo(5);
        assertThat(curve.ended()).isEqualTo("ended at 9: progress has been falling");
        assertThat(curve.sentence()).startsWith("5 is right");
    }

    @Test
    @DisplayName("B8: whether 3 is right, for work that waits for a service")
    void answersForWorkThatWaits() {
        Curve curve =
                calibrate(
                        Machine.waitingForService(12),
                        new CalibratingLimit(24, Progress.WORK, Duration.ofSeconds(20), 400),
                        1);

        assertThat(curve.recommended()).isBetween(11, 13);
        assertThat(curve.points()).hasSize(24);
    }

    @Test
    void endsWhereTheMachineEnds() {
        var limit = new CalibratingLimit(20, Progress.CPU, Duration.ofSeconds(20), 0);
        var lane = new SimulatedLane(Machine.computing(4, 6), limit, 8, 0.3, 1);
        lane.run(Duration.ofSeconds(50));
        lane.pressure = Pressure.because("95 % of the container's memory are taken");
        lane.run(Duration.ofSeconds(5));

        assertThat(limit.result().join().points()).hasSize(2);
        assertThat(limit.reason()).contains("ended at 3", "container's memory");
        assertThatThrownBy(() -> limit.set(3)).hasMessageContaining("being calibrated");
    }

    @Test
    void aCpuWithoutRestIsNoReasonToEndWhereItsUseIsMeasured() {
        var limit = new CalibratingLimit(6, Progress.CPU, Duration.ofSeconds(20), 0);
        var lane = new SimulatedLane(Machine.computing(4, 6), limit, 8, 0.3, 1);
        lane.pressure = Pressure.ofCpu("tasks waited for CPU 99 % of the last 10 s");
        lane.run(Duration.ofMinutes(10));

        assertThat(limit.result().join().points()).hasSize(6);
    }

    @Test
    void drawsTheCurve() {
        var curve =
                new Curve(
                        List.of(
                                new Curve.Point(1, 1, Duration.ofSeconds(1)),
                                new Curve.Point(2, 2, Duration.ofSeconds(1)),
                                new Curve.Point(3, 2.05, Duration.ofMillis(1_500))),
                        "measured 1 to 3");

        assertThat(curve.text())
                .contains("   2        2.000      1.00 s  " + "█".repeat(49) + "  ◀ right")
                .contains(
                        "2 is right: the smallest number of jobs at once within 5 % of the best progress measured (2.05/s). 3 would bring +2 %. Measured 1 to 3.");
        assertThat(curve.svg()).startsWith("<svg").contains("2 is right").contains("<polyline");
    }
}
