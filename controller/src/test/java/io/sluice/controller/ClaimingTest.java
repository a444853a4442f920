package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// When the office is claimed.
/// Shows Q23: there is one controller.
class ClaimingTest {
    private static final long MILLI = 1_000_000;
    private final TreeSet<Integer> all = new TreeSet<>(List.of(1, 2, 3));

    private static Claiming claiming(int self) {
        return new Claiming(self, Duration.ofSeconds(3), 0);
    }

    private long millis(Claiming claiming, long nowMillis) {
        return claiming.claimAt(all, nowMillis * MILLI) / MILLI;
    }

    @Test
    void anOfficeWithoutAHolderIsClaimedInTheOrderOfRank() {
        assertThat(millis(claiming(1), 0)).isZero();
        assertThat(millis(claiming(2), 0)).isEqualTo(150);
        assertThat(millis(claiming(3), 0)).isEqualTo(300);
    }

    @Test
    void whoIsNotRegisteredClaimsNothing() {
        assertThat(claiming(4).claimAt(all, 0)).isEqualTo(Claiming.NEVER);
    }

    @Test
    void anEarlierLifeOfThisBrokerIsNoHolder() {
        Claiming claiming = claiming(3);
        claiming.observe(3, 7, 100 * MILLI);
        assertThat(millis(claiming, 100)).isEqualTo(100);
    }

    private static void look(Claiming claiming, int controller, Probe.Result result, long millis) {
        claiming.lost(controller, millis * MILLI);
        assertThat(claiming.shouldLook(millis * MILLI)).isTrue();
        claiming.looked(controller, result, millis * MILLI);
    }

    @Test
    void silenceIsWaitedForAndAnAnswerBeginsItAnew() {
        Claiming claiming = claiming(2);
        claiming.observe(1, 0, 0);
        claiming.asked(1, 100 * MILLI);
        claiming.asked(1, 600 * MILLI);
        assertThat(claiming.shouldLook(2_000 * MILLI)).isFalse();
        assertThat(claiming.shouldLook(2_100 * MILLI)).as("in time for the verdict").isTrue();
        assertThat(claiming.claimAt(all, 2_900 * MILLI)).isEqualTo(Claiming.NEVER);
        claiming.looked(1, Probe.Result.SILENT, 2_900 * MILLI);
        assertThat(millis(claiming, 2_900)).as("2 is the first of the others").isEqualTo(3_100);
        assertThat(claiming.isGone()).isTrue();
        claiming.answered(1, 3_000 * MILLI);
        claiming.answered(3, 3_001 * MILLI);
        assertThat(claiming.isGone()).isFalse();
        look(claiming, 1, Probe.Result.SILENT, 5_000);
        assertThat(millis(claiming, 5_000)).isEqualTo(6_000);
    }

    /// A broker that has just been started has asked nothing, and is owed no answer.
    @Test
    void whoHasAskedNothingHasNotBeenLeftWithoutAnAnswer() {
        Claiming claiming = claiming(2);
        claiming.observe(1, 0, 0);
        look(claiming, 1, Probe.Result.ALIVE, 0);
        assertThat(claiming.claimAt(all, 60_000 * MILLI)).isEqualTo(Claiming.NEVER);
        look(claiming, 1, Probe.Result.SILENT, 60_000);
        assertThat(claiming.claimAt(all, 60_000 * MILLI)).isEqualTo(Claiming.NEVER);
    }

    @Test
    void aControllerThatAnswersALookHasTwiceTheTime() {
        Claiming claiming = claiming(2);
        claiming.observe(1, 0, 0);
        claiming.asked(1, 0);
        look(claiming, 1, Probe.Result.ALIVE, 2_000);
        assertThat(millis(claiming, 3_000)).isEqualTo(6_000);
        claiming.declined(1);
        assertThat(millis(claiming, 3_000)).as("unless it says that it is none").isEqualTo(3_000);
    }

    @Test
    void whoWasAsleepHasHeardNoAnswerAndClaimsNothingForIt() {
        Claiming claiming = claiming(2);
        claiming.observe(1, 0, 0);
        claiming.asked(1, 0);
        look(claiming, 1, Probe.Result.SILENT, 100);
        claiming.awake(30_000 * MILLI);
        assertThat(claiming.claimAt(all, 30_000 * MILLI)).isEqualTo(Claiming.NEVER);
        assertThat(claiming.shouldLook(30_000 * MILLI)).isTrue();
        claiming.looked(1, Probe.Result.SILENT, 30_001 * MILLI);
        assertThat(millis(claiming, 30_001)).isEqualTo(31_500);
    }

    @Test
    void aProcessThatIsGoneIsReplacedSoon() {
        Claiming claiming = claiming(3);
        claiming.observe(1, 0, 0);
        claiming.asked(1, 500 * MILLI);
        claiming.lost(1, 1_000 * MILLI);
        assertThat(claiming.shouldLook(1_000 * MILLI)).isTrue();
        assertThat(claiming.shouldLook(1_000 * MILLI)).as("once").isFalse();
        claiming.looked(1, Probe.Result.REFUSED, 1_000 * MILLI);
        assertThat(millis(claiming, 1_000)).isEqualTo(1_000 + 300 + 150);
        assertThat(claiming.shouldLook(1_100 * MILLI)).as("it may be starting").isTrue();
        claiming.looked(1, Probe.Result.ALIVE, 1_150 * MILLI);
        assertThat(millis(claiming, 1_150)).isEqualTo(500 + 6_000 + 150);
    }

    @Test
    void aNewHolderHasAWholeTimeout() {
        Claiming claiming = claiming(3);
        claiming.observe(1, 0, 0);
        look(claiming, 1, Probe.Result.REFUSED, 0);
        claiming.observe(2, 1, 400 * MILLI);
        assertThat(claiming.claimAt(all, 400 * MILLI)).isEqualTo(Claiming.NEVER);
        claiming.asked(2, 500 * MILLI);
        look(claiming, 2, Probe.Result.SILENT, 600);
        assertThat(millis(claiming, 600)).isEqualTo(500 + 3_000 + 150);
    }

    @Test
    void whoLosesTheOfficeBecomesMorePatient() {
        Claiming claiming = claiming(1);
        claiming.displaced(0);
        claiming.observe(2, 1, 0);
        claiming.asked(2, 0);
        look(claiming, 2, Probe.Result.SILENT, 0);
        assertThat(millis(claiming, 0)).isEqualTo(6_000);
        claiming.displaced(10_000 * MILLI);
        assertThat(millis(claiming, 10_000)).isEqualTo(12_000);
        for (int i = 0; i < 20; i++) {
            claiming.displaced(20_000 * MILLI);
        }
        assertThat(millis(claiming, 20_000)).isEqualTo(60_000);
        assertThat(millis(claiming, 20_000 + 300_001)).as("forgiven").isEqualTo(3_000);
    }

    @Test
    void theClaimIsOneCommitThatMovesTheEpochOn() {
        assertThat(Claiming.changes(new ClusterView.Office(2, 7, 0), 3))
                .containsExactly(
                        new Change.Delete("/controller", 0),
                        new Change.Create("/controller", "3", Life.SESSION),
                        new Change.Set("/epoch", "3", 7));
        assertThat(Claiming.changes(ClusterView.Office.VACANT, 3))
                .containsExactly(
                        new Change.Create("/controller", "3", Life.SESSION),
                        new Change.Create("/epoch", "3"));
    }
}
