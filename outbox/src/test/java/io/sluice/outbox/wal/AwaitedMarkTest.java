package io.sluice.outbox.wal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AwaitedMarkTest {
    private static final Duration ALMOST = AwaitedMark.LONGEST_SILENCE.minusMillis(1);

    private final AtomicLong nanos = new AtomicLong();
    private final AwaitedMark mark = new AwaitedMark(nanos::get);

    @Test
    void withoutAMarkSilenceMeansNothing() {
        pass(Duration.ofHours(1));
        assertThat(mark.isMissing()).isFalse();
    }

    @Test
    void aMarkThatDoesNotComeBackIsMissed() {
        mark.written(100);
        pass(ALMOST);
        assertThat(mark.isMissing()).isFalse();
        mark.written(200);
        pass(Duration.ofMillis(2));
        assertThat(mark.isMissing()).as("the first one is awaited").isTrue();
    }

    @Test
    void aMarkThatHasComeIsNotAwaited() {
        mark.written(100);
        mark.heard(100);
        pass(Duration.ofHours(1));
        assertThat(mark.isMissing()).isFalse();
    }

    /// Much stands before it.
    @Test
    void aStreamThatBringsSomethingIsAlive() {
        mark.written(100);
        for (int lsn = 10; lsn < 100; lsn += 10) {
            pass(ALMOST);
            mark.heard(lsn);
        }
        assertThat(mark.isMissing()).isFalse();
        pass(ALMOST.plusMillis(2));
        assertThat(mark.isMissing()).isTrue();
    }

    @Test
    void whoDoesNotListenMissesNothing() {
        mark.written(100);
        pass(Duration.ofHours(1));
        mark.unheard();
        assertThat(mark.isMissing()).isFalse();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }
}
