package io.sluice.outbox.reading;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PatienceTest {
    private final Patience patience = new Patience(Duration.ofSeconds(30));

    @Test
    void itGrowsUntilItIsRewarded() {
        Duration first = patience.now();
        patience.exhausted();
        assertThat(patience.now()).isEqualTo(first.multipliedBy(2));
        patience.exhausted();
        assertThat(patience.now()).isEqualTo(first.multipliedBy(4));
        patience.rewarded();
        assertThat(patience.now()).isEqualTo(first);
    }

    @Test
    void itHasAnEnd() {
        for (int i = 0; i < 100; i++) {
            patience.exhausted();
        }
        assertThat(patience.now()).isEqualTo(Duration.ofHours(2));
    }
}
