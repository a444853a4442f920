package io.sluice.listener.lane;

import static io.sluice.listener.lane.Script.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.limit.CalibratingLimit;
import io.sluice.listener.limit.Curve;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.limit.Limit;
import io.sluice.listener.limit.Limit.Progress;
import io.sluice.listener.limit.PlateauLimit;
import io.sluice.listener.limit.Pressure;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// What a limit hears about its lane, with jobs of a known length in virtual time.
class LaneMeterTest {
    private final Script.ByHand threads = new Script.ByHand();

    /// A second of a lane with a backlog: every slot does one job of one second, of which `size` gets done.
    private void second(Script script) {
        while (script.poll(message("m")) > 0) {
            // until every slot is taken
        }
        script.advance(Duration.ofSeconds(1));
        while (!threads.jobs.isEmpty()) {
            threads.runNext();
        }
        script.lanes.tick(Pressure.none());
    }

    @Test
    @DisplayName(
            "B8: a calibration of a lane measures each number, and the lane's own limit returns afterwards")
    void aCalibrationMeasuresEachNumber() {
        // Two at a time are as much as the machine can do; a third one only takes from the others.
        var script =
                new Script(
                        LaneSettings.lane(
                                        "heavy",
                                        new FixedLimit(3),
                                        job -> job.size(Math.min(1, 2.0 / threads.jobsAtOnce)))
                                .on(threads));
        var through = new CalibratingLimit(4, Progress.WORK, Duration.ofSeconds(3), 3);
        Limit own = script.lanes.limit("heavy", through);
        for (int i = 0; i < 60 && !through.result().isDone(); i++) {
            threads.jobsAtOnce = through.current();
            second(script);
        }
        Curve curve = through.result().join();
        script.lanes.limit("heavy", own);

        assertThat(curve.points())
                .extracting(point -> Math.round(1_000 * point.rate()))
                .containsExactly(1_000L, 2_000L, 2_000L, 2_000L);
        assertThat(curve.points())
                .allSatisfy(
                        point -> assertThat(point.meanJobTime()).isEqualTo(Duration.ofSeconds(1)));
        assertThat(curve.recommended()).isEqualTo(2);
        assertThat(script.state("heavy").limit()).isEqualTo(3);
    }

    @Test
    void anAdaptiveLimitMovesItsLane() {
        var limit = new PlateauLimit(PlateauLimit.Settings.work(2, 8));
        var script = new Script(LaneSettings.lane("heavy", limit, job -> {}).on(threads));
        for (int i = 0; i < 2_000; i++) {
            second(script);
            if (i > 400) {
                assertThat(limit.current())
                        .as("more always bring more here, and looking again costs little")
                        .isGreaterThanOrEqualTo(7);
            }
        }
        assertThat(script.state("heavy").limit()).isEqualTo(limit.current());
    }

    @Test
    void pressureTakesTheLaneDownAtTheNextTick() {
        var limit = new PlateauLimit(PlateauLimit.Settings.cpu(4, 8));
        var script = new Script(LaneSettings.lane("heavy", limit, job -> {}).on(threads));
        second(script);
        script.advance(Duration.ofSeconds(1));
        script.lanes.tick(Pressure.because("no memory"));

        assertThat(script.state("heavy").limit()).isEqualTo(3);
    }
}
