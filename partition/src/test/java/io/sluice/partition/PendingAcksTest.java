package io.sluice.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingAcksTest {
    private final PendingAcks acks = new PendingAcks();
    private final List<String> told = new ArrayList<>();

    private void await(long offset, String who) {
        acks.add(offset, PendingAcks.NO_DEADLINE, how -> told.add(who + " " + how));
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
