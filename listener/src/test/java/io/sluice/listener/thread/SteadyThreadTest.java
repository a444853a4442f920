package io.sluice.listener.thread;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.Unspeakable;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SteadyThreadTest {
    private final AtomicInteger rounds = new AtomicInteger();

    @Test
    void goesOnWhenARoundFailsAndEvenTheLogEntryAboutItDoes() throws Exception {
        var thread =
                new SteadyThread(
                        "steady",
                        "A round failed",
                        () -> {
                            if (rounds.incrementAndGet() <= 2) {
                                throw new Unspeakable();
                            }
                            return rounds.get() < 5;
                        });
        thread.start();
        assertThat(thread.join(Duration.ofSeconds(30))).isTrue();
        assertThat(rounds).as("until it says that it ends").hasValue(5);
    }

    @Test
    void endsWhenItIsInterrupted() throws Exception {
        var thread =
                new SteadyThread(
                        "steady",
                        "A round failed",
                        () -> {
                            rounds.incrementAndGet();
                            Thread.sleep(Duration.ofHours(1));
                            return true;
                        });
        thread.start();
        until("it has begun", () -> rounds.get() == 1);
        assertThat(thread.alive()).isTrue();
        thread.interrupt();
        assertThat(thread.join(Duration.ofSeconds(30))).isTrue();
        assertThat(thread.alive()).isFalse();
    }
}
