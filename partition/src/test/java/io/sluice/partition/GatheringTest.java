package io.sluice.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GatheringTest {
    private final Gathering gathering = new Gathering();

    @Test
    void theFirstOnesAreHandedOnAtOnce() {
        assertThat(gathering.appended()).isTrue();
    }

    @Test
    void whatAProducerHasUnderWayIsWaitedFor() {
        gathering.answered(5, 0);

        for (int i = 0; i < 4; i++) {
            assertThat(gathering.appended()).isFalse();
        }
        assertThat(gathering.appended()).isTrue();
    }

    @Test
    void threeAreNotWorthTheWait() {
        gathering.answered(3, 0);

        assertThat(gathering.appended()).isTrue();
    }

    @Test
    void thoseWhoWereToldTogetherAreWaitedFor() {
        gathering.answered(8, 0);

        for (int i = 0; i < 7; i++) {
            assertThat(gathering.appended()).isFalse();
        }
        assertThat(gathering.appended()).isTrue();
    }

    @Test
    void thoseWhoHadArrivedBeforeTheOthersWereToldJoinThem() {
        gathering.answered(8, 0);
        gathering.appended();

        gathering.answered(9, 1);

        for (int i = 0; i < 8; i++) {
            assertThat(gathering.appended()).isFalse();
        }
        assertThat(gathering.appended()).isTrue();
    }

    @Test
    void whoWaitedInVainDoesNotWaitForAWhileTwiceAsLongEachTime() {
        gathering.answered(8, 0);
        waitInVain();
        assertThat(roundsWithoutWaiting()).isEqualTo(2);
        waitInVain();
        assertThat(roundsWithoutWaiting()).isEqualTo(4);
    }

    @Test
    void theWhileIsBounded() {
        gathering.answered(8, 0);
        for (int i = 0; i < 20; i++) {
            waitInVain();
            roundsWithoutWaiting();
        }
        waitInVain();
        assertThat(roundsWithoutWaiting()).isEqualTo(256);
    }

    @Test
    void threeQuartersOfThemAreWorthTheWait() {
        gathering.answered(8, 0);
        waitInVain();
        roundsWithoutWaiting();
        for (int i = 0; i < 6; i++) {
            gathering.appended();
        }
        gathering.handedOn();
        waitInVain();

        assertThat(roundsWithoutWaiting()).isEqualTo(2);
    }

    /// 1.5 rounds' worth of what comes in a round has come, of 2.5 that wait or were told.
    @Test
    void thoseWhoSendByTheClockAreNotWaitedForAgainSoon() {
        gathering.answered(15, 10);
        for (int i = 0; i < 15; i++) {
            assertThat(gathering.appended()).isFalse();
        }
        gathering.handedOn();

        assertThat(gathering.isDue()).isTrue();
    }

    /// Else the count runs over, and what arrives is never due again.
    @Test
    void theCountIsBoundedWhereNothingIsEverHandedOn() {
        gathering.answered(8, 0);
        for (int i = 0; i <= Gathering.ARRIVED_MAX; i++) {
            gathering.appended();
        }

        assertThat(gathering.arrived()).isEqualTo(Gathering.ARRIVED_MAX);
        assertThat(gathering.isDue()).isTrue();
    }

    private void waitInVain() {
        assertThat(gathering.appended()).isFalse();
        gathering.handedOn();
    }

    private int roundsWithoutWaiting() {
        int rounds = 0;
        while (gathering.isDue()) {
            gathering.appended();
            gathering.handedOn();
            rounds++;
        }
        return rounds;
    }
}
