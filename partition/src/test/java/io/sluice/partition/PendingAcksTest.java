package io.sluice.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingAcksTest {
    private final PendingAcks acks = new PendingAcks();
    private final List<String> told = new ArrayList<>();

    private void await(long offset, String who) {
        acks.add(offset, 0, PendingAcks.NO_DEADLINE, how -> told.add(who + " " + how));
    }

    @Test
    void whoHasWaitedForSoLongIsToldAndTheOthersAreNot() {
        acks.add(10, 100, 1_000, how -> told.add("early " + how));
        acks.add(20, 200, 1_000, how -> told.add("late " + how));
        acks.add(30, 100, PendingAcks.NO_DEADLINE, how -> told.add("patient " + how));

        acks.giveUp(100);
        assertThat(told).containsExactly("early IN_DOUBT");
        acks.giveUp(1_000);
        assertThat(told).containsExactly("early IN_DOUBT", "late IN_DOUBT");
        assertThat(acks.nextDeadline()).isEqualTo(PendingAcks.NO_DEADLINE);
        acks.settle(30);
        assertThat(told).endsWith("patient SAFE");
    }

    /// Its producer would wait for what others have appended since, and give up though its batch is safe.
    @Test
    void aBatchThatWasSentAgainDoesNotWaitForLaterOnes() {
        await(20, "second");
        await(30, "third");
        await(10, "first, sent again");
        await(20, "second, sent again");

        assertThat(acks.settle(10)).isEqualTo(1);
        assertThat(told).containsExactly("first, sent again SAFE");

        acks.settle(30);
        assertThat(told)
                .containsExactly(
                        "first, sent again SAFE",
                        "second SAFE",
                        "second, sent again SAFE",
                        "third SAFE");
    }
}
