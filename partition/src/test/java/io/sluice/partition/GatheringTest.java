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
    void oneProducerAtATimeNeverWaits() {
        gathering.answered(1, 0);

        assertThat(gathering.appended()).isTrue();
    }

    @Test
    void thoseWhoWereToldTogetherAreWaitedFor() {
        gathering.answered(3, 0);

        assertThat(gathering.appended()).isFalse();
        assertThat(gathering.appended()).isFalse();
        assertThat(gathering.appended()).isTrue();
    }

    @Test
    void thoseWhoHadArrivedBeforeTheOthersWereToldJoinThem() {
        gathering.answered(2, 0);
        gathering.appended();

        gathering.answered(2, 1);

        assertThat(gathering.appended()).isFalse();
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
    void halfOfThemAreWorthTheWait() {
        gathering.answered(8, 0);
        waitInVain();
        roundsWithoutWaiting();
        for (int i = 0; i < 4; i++) {
            gathering.appended();
        }
        gathering.handedOn();
        waitInVain();

        assertThat(roundsWithoutWaiting()).isEqualTo(2);
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
