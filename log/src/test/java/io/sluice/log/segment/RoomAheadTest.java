package io.sluice.log.segment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RoomAheadTest {
    private static final int MEGABYTE = 1 << 20;
    private static final long ROLL = 1L << 30;

    @Test
    void aSmallPartitionGetsNone() {
        assertThat(RoomAhead.target(60_000, 300, 0, ROLL, false)).isZero();
    }

    @Test
    void unlessItsTopicAsksForLatency() {
        assertThat(RoomAhead.target(300, 300, 0, ROLL, true)).isEqualTo(300 + (64 << 10));
        assertThat(RoomAhead.target(50 * MEGABYTE, 300, 0, ROLL, true)).isEqualTo(51 * MEGABYTE);
    }

    @Test
    void stepsDoubleUpToOneMegabyte() {
        assertThat(RoomAhead.target(64 << 10, 300, 0, ROLL, false)).isEqualTo(128 << 10);
        assertThat(RoomAhead.target(200_000, 300, 0, ROLL, false)).isEqualTo(200_000 + (128 << 10));
        assertThat(RoomAhead.target(50 * MEGABYTE, 300, 0, ROLL, false)).isEqualTo(51 * MEGABYTE);
    }

    @Test
    void nothingToDoWhileThereIsRoom() {
        int written = 50 * MEGABYTE;
        assertThat(RoomAhead.target(written, 300, written + 200_000, ROLL, false)).isZero();
        assertThat(RoomAhead.target(written, 300, written + 100_000, ROLL, false)).isPositive();
    }

    @Test
    void bulkWritesDoNotPayForIt() {
        assertThat(RoomAhead.target(50 * MEGABYTE, 2 * MEGABYTE, 0, ROLL, false)).isZero();
    }

    @Test
    void neverBeyondTheSegmentsEnd() {
        int written = (int) ROLL - 1_000;
        assertThat(RoomAhead.target(written, 300, written, ROLL, false)).isEqualTo(ROLL);
        assertThat(RoomAhead.target(written, 300, ROLL, ROLL, false)).isZero();
    }
}
