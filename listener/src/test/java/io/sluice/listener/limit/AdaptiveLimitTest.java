package io.sluice.listener.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.listener.limit.SimulatedLane.Machine;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whether limits find what an oracle would choose, on simulated machines whose right answer is known.
class AdaptiveLimitTest {
    private static final Machine FOUR_CORES = Machine.computing(4, 6);
    private static final Machine SERVICE = Machine.waitingForService(20);

    private static double shareOfBest(Machine machine, Limit limit, double mean, double spread) {
        Duration time = Duration.ofHours(2);
        return new SimulatedLane(machine, limit, mean, spread, 1).run(time).total
                / machine.best(time);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 1.2})
    @DisplayName(
            "B8: the plateau of a CPU-bound lane is found: at least 95 % of the best fixed limit")
    void findsTheLimitOfCpuBoundWork(double spread) {
        var limit = new PlateauLimit(PlateauLimit.Settings.cpu(3, 30));

        assertThat(shareOfBest(FOUR_CORES, limit, 8, spread)).isGreaterThan(0.95);
        assertThat(limit.current()).as(limit.reason()).isBetween(5, 6);
    }

    @Test
    @DisplayName("B8: it is there within two minutes, and never far above")
    void isThereWithinTwoMinutes() {
        var limit = new PlateauLimit(PlateauLimit.Settings.cpu(3, 30));
        var lane = new SimulatedLane(FOUR_CORES, limit, 8, 1.2, 7);
        int most = 0;
        for (int second = 0; second < 3_600; second++) {
            lane.run(Duration.ofSeconds(1));
            most = Math.max(most, limit.current());
            if (second == 120) {
                assertThat(limit.current()).as(limit.reason()).isBetween(5, 6);
            }
        }
        assertThat(most).isLessThanOrEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 40})
    @DisplayName("B8: the limit of an I/O-bound lane is found, wherever it begins")
    void findsTheLimitOfWaitingWork(int first) {
        var limit = new PlateauLimit(PlateauLimit.Settings.work(first, 100));

        // From 1 on up the first windows are long, since finished jobs are rare: that time counts
        // too.
        assertThat(shareOfBest(SERVICE, limit, 1, 0.3)).isGreaterThan(0.85);
        assertThat(limit.current()).as(limit.reason()).isBetween(15, 26);
    }

    @Test
    void followsWhenTheWorkChanges() {
        var limit = new PlateauLimit(PlateauLimit.Settings.work(3, 100));
        int[] capacity = {20};
        Machine changing = jobs -> Math.min(1, (double) capacity[0] / jobs);
        var lane = new SimulatedLane(changing, limit, 1, 0.3, 1).run(Duration.ofMinutes(30));
        capacity[0] = 5;
        lane.run(Duration.ofHours(2));

        assertThat(limit.current()).as(limit.reason()).isBetween(4, 7);
    }

    @Test
    void aGuardTakesItDownAtOnce() {
        var limit = new PlateauLimit(PlateauLimit.Settings.cpu(8, 30));
        var lane = new SimulatedLane(FOUR_CORES, limit, 8, 0.1, 1);
        lane.pressure = Pressure.because("90 % of the heap are taken");
        lane.run(Duration.ofSeconds(2));
        assertThat(limit.current()).isLessThan(8);
        assertThat(limit.reason()).contains("90 % of the heap");

        lane.run(Duration.ofMinutes(1));
        assertThat(limit.current()).isEqualTo(1);
    }

    @Test
    void anEmptyLaneTeachesNothing() {
        var limit = new PlateauLimit(PlateauLimit.Settings.cpu(3, 30));
        limit.on(
                new Window(
                        Duration.ofSeconds(30),
                        3,
                        0.2,
                        1,
                        5,
                        0,
                        Duration.ofSeconds(1),
                        Pressure.none()));

        assertThat(limit.current()).isEqualTo(3);
        assertThat(limit.reason()).contains("not full");
    }

    @Test
    void failuresTakeEveryAdaptiveLimitDown() {
        var failing =
                new Window(
                        Duration.ofSeconds(30),
                        10,
                        1,
                        1,
                        2,
                        20,
                        Duration.ofSeconds(1),
                        Pressure.none());
        for (Limit limit :
                new Limit[] {
                    new PlateauLimit(PlateauLimit.Settings.work(10, 30)),
                    new AimdLimit(AimdLimit.Settings.of(10, 30, Duration.ofSeconds(5))),
                    new GradientLimit(GradientLimit.Settings.of(10, 30)),
                    new VegasLimit(VegasLimit.Settings.of(10, 30))
                }) {
            limit.on(failing);
            assertThat(limit.current()).isLessThan(10);
            assertThat(limit.reason()).contains("91 % of the jobs fail");
        }
    }

    @Test
    void theGradientFindsAServicesCapacity() {
        var limit = new GradientLimit(GradientLimit.Settings.of(3, 200));

        assertThat(shareOfBest(SERVICE, limit, 1, 0.3)).isGreaterThan(0.95);
        assertThat(limit.current()).as(limit.reason()).isBetween(18, 35);
    }

    @Test
    void vegasFindsAServicesCapacityWithAFewThatWait() {
        var limit = new VegasLimit(VegasLimit.Settings.of(3, 200));

        assertThat(shareOfBest(SERVICE, limit, 1, 0.3)).isGreaterThan(0.95);
        assertThat(limit.current()).as(limit.reason()).isBetween(20, 35);
    }

    private static Window full(Limit limit, long jobSeconds) {
        return new Window(
                Duration.ofSeconds(2),
                limit.current(),
                1,
                20,
                20,
                0,
                Duration.ofSeconds(jobSeconds),
                Pressure.none());
    }

    private static void windows(Limit limit, int count, long jobSeconds) {
        for (int i = 0; i < count; i++) {
            limit.on(full(limit, jobSeconds));
        }
    }

    private static List<ResponseTimeLimit> responseTimeLimits() {
        return List.of(
                new GradientLimit(GradientLimit.Settings.of(3, 40)),
                new VegasLimit(VegasLimit.Settings.of(3, 40)));
    }

    @Test
    void aServiceThatIsSlowerForGoodIsNotTakenForAnOverloadedOneForEver() {
        for (ResponseTimeLimit limit : responseTimeLimits()) {
            windows(limit, 60, 1);
            assertThat(limit.current()).isEqualTo(40);
            windows(limit, ResponseTimeLimit.TRUSTS_FOR_WINDOWS - 60, 4);
            assertThat(limit.current()).as("it looks overloaded").isLessThan(10);
            windows(limit, 60, 4);
            assertThat(limit.current()).as(limit.reason()).isEqualTo(40);
        }
    }

    @Test
    void whoSetsALimitWhileItLooksIsNotOverruled() {
        for (ResponseTimeLimit limit : responseTimeLimits()) {
            windows(limit, ResponseTimeLimit.TRUSTS_FOR_WINDOWS + 1, 1);
            assertThat(limit.current()).as("it looks").isEqualTo(20);
            assertThat(limit.reason()).contains("to measure the shortest time anew");
            limit.set(7);
            limit.on(full(limit, 1));
            assertThat(limit.current()).as(limit.reason()).isLessThan(10);
        }
    }

    @Test
    void aimdStaysWhereJobsAreFastEnough() {
        var limit = new AimdLimit(AimdLimit.Settings.of(3, 200, Duration.ofMillis(1_200)));

        assertThat(shareOfBest(SERVICE, limit, 1, 0.3)).isGreaterThan(0.9);
        assertThat(limit.current()).as(limit.reason()).isBetween(18, 28);
    }

    @Test
    void aLimitOutsideItsBoundsIsRefused() {
        var limit = new PlateauLimit(PlateauLimit.Settings.cpu(3, 30));
        assertThatThrownBy(() -> limit.set(31)).hasMessageContaining("from 1 to 30");
        limit.set(12);
        assertThat(limit.current()).isEqualTo(12);
    }
}
