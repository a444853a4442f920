package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Who is held for dead, and when.
class LivenessTest {
    private static final long MILLI = 1_000_000;
    private static final long START = 77 * MILLI;
    private final Liveness liveness = new Liveness(1, Duration.ofSeconds(3), START);

    @BeforeEach
    void threeBrokers() {
        liveness.registered(new TreeMap<>(Map.of(1, 11L, 2, 12L, 3, 13L)), _ -> false, START);
    }

    private static long at(int millis) {
        return START + millis * MILLI;
    }

    @Test
    void silenceForTheTimeoutIsDeath() {
        for (int millis = 500; millis <= 2_500; millis += 500) {
            assertThat(liveness.heard(3, 13, at(millis))).isFalse();
            assertThat(liveness.tick(at(millis))).isFalse();
        }
        assertThat(liveness.tick(at(3_000))).isTrue();
        assertThat(liveness.isDead(2)).isTrue();
        assertThat(liveness.isDead(3)).isFalse();
        assertThat(liveness.isDead(1)).as("the controller is alive to itself").isFalse();
        assertThat(liveness.heard(2, 12, at(3_100))).as("alive again").isTrue();
        assertThat(liveness.isDead(2)).isFalse();
    }

    @Test
    void aRefusedConnectionIsDeathAtOnce() {
        liveness.suspect(2, at(100));
        assertThat(liveness.toLookAt(at(100))).containsExactly(2);
        assertThat(liveness.toLookAt(at(100))).as("once").isEmpty();
        assertThat(liveness.looked(2, 12, Probe.Result.REFUSED, at(101))).isTrue();
        assertThat(liveness.isDead(2)).isTrue();
    }

    @Test
    void whileItIsUnclearTheLookIsRepeated() {
        liveness.suspect(2, at(100));
        liveness.toLookAt(at(100));
        assertThat(liveness.looked(2, 12, Probe.Result.SILENT, at(150))).isFalse();
        assertThat(liveness.toLookAt(at(200))).isEmpty();
        assertThat(liveness.nextAt()).isEqualTo(at(250));
        assertThat(liveness.toLookAt(at(250))).containsExactly(2);
        assertThat(liveness.looked(2, 12, Probe.Result.ALIVE, at(260))).isFalse();
        assertThat(liveness.toLookAt(at(2_000))).as("somebody listens there").isEmpty();
    }

    @Test
    void anEarlierLifeSaysNothingOfThePresentOne() {
        assertThat(liveness.heard(2, 9, at(2_900))).isFalse();
        liveness.suspect(2, at(100));
        liveness.toLookAt(at(100));
        liveness.registered(new TreeMap<>(Map.of(1, 11L, 2, 22L, 3, 13L)), _ -> false, at(2_000));
        assertThat(liveness.looked(2, 12, Probe.Result.REFUSED, at(2_001))).isFalse();
        assertThat(liveness.isDead(2)).isFalse();
        tickUntil(4_900);
        assertThat(liveness.isDead(3)).isTrue();
        assertThat(liveness.isDead(2)).as("a whole timeout from its registration").isFalse();
    }

    private void tickUntil(int millis) {
        for (int now = 500; now <= millis; now += 500) {
            liveness.tick(at(now));
        }
    }

    /// A process that was stopped for a while has heard of nobody: that says something about itself alone.
    @Test
    void aControllerThatSleptJudgesNobody() {
        assertThat(liveness.tick(at(60_000))).isFalse();
        assertThat(liveness.isDead(2)).isFalse();
        assertThat(liveness.tick(at(60_700))).isFalse();
        assertThat(liveness.tick(at(61_500))).as("by now it could have heard").isTrue();
    }

    @Test
    void whomAnotherControllerHasFoundDeadHasToBeHeardOf() {
        Liveness next = new Liveness(1, Duration.ofSeconds(3), START);
        next.registered(new TreeMap<>(Map.of(1, 11L, 2, 12L)), id -> id == 2, START);
        assertThat(next.isDead(2)).isTrue();
        assertThat(next.heard(2, 12, at(10))).isTrue();
        assertThat(next.isDead(2)).isFalse();
    }

    @Test
    void withNobodyElseThereIsNothingToWaitFor() {
        liveness.registered(new TreeMap<>(Map.of(1, 11L)), _ -> false, at(0));
        assertThat(liveness.nextAt()).isEqualTo(Long.MAX_VALUE);
    }
}
