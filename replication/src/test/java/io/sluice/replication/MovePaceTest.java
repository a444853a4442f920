package io.sluice.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Moves copy as fast as they may, all together. Two shards copy in turns of their own, on one clock that the test sets.
class MovePaceTest {
    private static final long MEGABYTE = 1_000_000;
    private static final int FETCH = 100_000;

    private long limit = MEGABYTE;
    private final MovePace pace = new MovePace(_ -> true, () -> limit);

    /// When each of the shards may ask for more.
    private final long[] freeAt = new long[2];

    private long now;

    /// Copies so much, each shard as soon as it may; the time that it took.
    private Duration copy(long bytes) {
        long begin = now;
        for (long left = bytes; left > 0; left -= FETCH) {
            int shard = freeAt[0] <= freeAt[1] ? 0 : 1;
            now = Math.max(now, freeAt[shard]);
            freeAt[shard] = now + pace.pauseAfter(FETCH, now).toNanos();
        }
        now = Math.max(now, Math.max(freeAt[0], freeAt[1]));
        return Duration.ofNanos(now - begin);
    }

    @Test
    void allShardsShareTheLimit() {
        assertThat(copy(10 * MEGABYTE)).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(11));
    }

    @Test
    void anotherLimitHoldsForWhatIsStillToCome() {
        assertThat(copy(5 * MEGABYTE))
                .isBetween(Duration.ofMillis(4_500), Duration.ofMillis(5_500));
        limit = 5 * MEGABYTE;
        assertThat(copy(5 * MEGABYTE)).isBetween(Duration.ofMillis(900), Duration.ofMillis(1_100));
    }

    @Test
    void whatIsOwedUnderAnotherLimitIsForgotten() {
        limit = 1;
        assertThat(pace.pauseAfter(FETCH, now)).isEqualTo(Duration.ofSeconds(FETCH));
        limit = MEGABYTE;
        assertThat(pace.pauseAfter(FETCH, now)).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void withoutALimitNobodyWaits() {
        copy(MEGABYTE);
        limit = 0;
        assertThat(pace.pauseAfter(FETCH, now)).isZero();
        assertThat(copy(100 * MEGABYTE)).isZero();
    }

    /// Else a move that begins after a quiet hour would take everything for itself.
    @Test
    void idleTimeIsNoCredit() {
        copy(MEGABYTE);
        now += TimeUnit.HOURS.toNanos(1);
        assertThat(copy(10 * MEGABYTE)).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(11));
    }

    @Test
    void anEmptyAnswerCostsNothing() {
        assertThat(pace.pauseAfter(0, now)).isZero();
    }
}
