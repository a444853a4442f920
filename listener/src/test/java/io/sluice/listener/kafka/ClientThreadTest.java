package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.limit.FixedLimit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The beginning of a client's thread, and its end that nobody has asked for.
@Timeout(60)
class ClientThreadTest {
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicBoolean interrupts = new AtomicBoolean();
    private final Lanes lanes =
            new Lanes(
                    List.of(LaneSettings.lane("all", new FixedLimit(1), job -> {})),
                    message -> "all",
                    (message, settlement) -> {},
                    LaneObserver.NONE);

    private final ClientThread thread =
            new ClientThread(
                    "test-",
                    List.of("orders"),
                    new ClientThread.Client() {
                        @Override
                        public void open() {
                            if (opened.incrementAndGet() == 1) {
                                throw new OutOfMemoryError("simulated");
                            }
                        }

                        @Override
                        public void turn() {
                            turns.incrementAndGet();
                            if (interrupts.get()) {
                                throw new InterruptException("of the test");
                            }
                            Thread.onSpinWait();
                        }

                        @Override
                        public void recover() {}

                        @Override
                        public void end(Duration deadline) {}

                        @Override
                        public @Nullable String silence() {
                            return null;
                        }

                        @Override
                        public void wakeUp() {}
                    });

    @Test
    void whatCouldNotBeOpenedIsOpenedAgainAndAnInterruptedThreadSaysSo() throws Exception {
        thread.start(lanes);
        until("it turns", () -> turns.get() > 0);
        assertThat(opened).hasValue(2);
        until("no trouble any more", () -> thread.trouble() == null);

        interrupts.set(true);
        until("it has ended", () -> !thread.alive());
        assertThat(thread.trouble())
                .isEqualTo(
                        "Nothing can be received from [orders]: its thread was interrupted, and has ended");
    }
}
