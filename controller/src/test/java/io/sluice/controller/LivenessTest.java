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

    private void look(Probe.Result result, int millis) {
        for (int id : liveness.toLookAt(at(millis))) {
            liveness.looked(id, id + 10, result, at(millis));
        }
    }

    @Test
    void silenceForTheTimeoutIsDeath() {
        liveness.heard(2, 12, at(0));
        for (int millis = 500; millis <= 2_500; millis += 500) {
            assertThat(liveness.heard(3, 13, at(millis))).isFalse();
            assertThat(liveness.tick(at(millis))).isFalse();
            look(Probe.Result.SILENT, millis);
        }
        assertThat(liveness.nextAt()).isLessThanOrEqualTo(at(3_000));
        assertThat(liveness.tick(at(2_999))).isFalse();
        assertThat(liveness.tick(at(3_000))).isTrue();
        assertThat(liveness.isDead(2)).isTrue();
        assertThat(liveness.isDead(3)).isFalse();
        assertThat(liveness.isDead(1)).as("the controller is alive to itself").isFalse();
        assertThat(liveness.heard(2, 12, at(3_100))).as("alive again").isTrue();
        assertThat(liveness.isDead(2)).isFalse();
    }

    /// On a machine that is short of CPU signs of life are late: whoever answers a look has another timeout, once.
    @Test
    void whoIsSilentIsLookedForBeforeItIsHeldForDead() {
        liveness.heard(2, 12, at(0));
        liveness.heard(3, 13, at(0));
        for (int millis = 500; millis <= 1_500; millis += 500) {
            liveness.tick(at(millis));
            assertThat(liveness.toLookAt(at(millis))).isEmpty();
        }
        assertThat(liveness.toLookAt(at(2_000))).containsExactly(2, 3);
        liveness.looked(2, 12, Probe.Result.ALIVE, at(2_100));
        assertThat(liveness.tick(at(3_000))).as("3 has not been looked at").isFalse();
        liveness.looked(3, 13, Probe.Result.SILENT, at(3_001));
        assertThat(liveness.tick(at(3_001))).isTrue();
        assertThat(liveness.isDead(3)).isTrue();
        for (int millis = 3_500; millis <= 5_500; millis += 500) {
            look(Probe.Result.ALIVE, millis);
            assertThat(liveness.tick(at(millis))).isFalse();
        }
        assertThat(liveness.tick(at(6_000))).as("it must also be heard of").isTrue();
        assertThat(liveness.isDead(2)).isTrue();
    }

    @Test
    void whomThisControllerHasNeverHeardOfHasThreeTimeouts() {
        for (int millis = 500; millis <= 8_500; millis += 500) {
            assertThat(liveness.tick(at(millis))).isFalse();
            look(Probe.Result.SILENT, millis);
        }
        assertThat(liveness.tick(at(9_000))).isTrue();
    }

    @Test
    void whomAClaimWasMadeAgainstIsDeadAtOnceAndTheOthersAreLookedFor() {
        liveness.gone(2);
        liveness.suspectAll(at(1));
        assertThat(liveness.isDead(2)).isTrue();
        assertThat(liveness.toLookAt(at(1))).containsExactly(3);
        liveness.gone(1);
        assertThat(liveness.isDead(1)).isFalse();
    }

    /// A look that has begun before the last sign of life says nothing.
    @Test
    void aLookIsOvertakenByASignOfLife() {
        liveness.suspect(2, at(100));
        liveness.toLookAt(at(100));
        liveness.heard(2, 12, at(200));
        assertThat(liveness.looked(2, 12, Probe.Result.REFUSED, at(201))).isFalse();
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
        assertThat(liveness.toLookAt(at(1_200))).as("somebody listens there").isEmpty();
    }

    @Test
    void anEarlierLifeSaysNothingOfThePresentOne() {
        liveness.heard(3, 13, at(0));
        liveness.suspect(2, at(100));
        liveness.toLookAt(at(100));
        liveness.registered(new TreeMap<>(Map.of(1, 11L, 2, 22L, 3, 13L)), _ -> false, at(2_000));
        assertThat(liveness.looked(2, 12, Probe.Result.REFUSED, at(2_001))).isFalse();
        assertThat(liveness.isDead(2)).isFalse();
        assertThat(liveness.heard(2, 12, at(2_002))).isFalse();
        for (int now = 500; now <= 10_500; now += 500) {
            look(Probe.Result.SILENT, now);
            liveness.tick(at(now));
        }
        assertThat(liveness.isDead(3)).isTrue();
        assertThat(liveness.isDead(2)).as("three timeouts from its registration").isFalse();
    }

    /// A process that was stopped for a while has heard of nobody: that says something about itself alone.
    @Test
    void aControllerThatSleptJudgesNobody() {
        liveness.heard(2, 12, at(0));
        assertThat(liveness.tick(at(60_000))).isFalse();
        look(Probe.Result.SILENT, 60_000);
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
