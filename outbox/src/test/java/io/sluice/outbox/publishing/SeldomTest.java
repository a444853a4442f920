package io.sluice.outbox.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SeldomTest {
    @Test
    void theFirstAnswerIsAsked() {
        assertThat(new Seldom(() -> false).getAsBoolean()).isFalse();
        assertThat(new Seldom(() -> true).getAsBoolean()).isTrue();
    }

    @Test
    @Timeout(30)
    void aNoIsHeardSoon() {
        AtomicBoolean goOn = new AtomicBoolean(true);
        Seldom seldom = new Seldom(goOn::get);
        assertThat(seldom.getAsBoolean()).isTrue();
        goOn.set(false);
        while (seldom.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }
}
