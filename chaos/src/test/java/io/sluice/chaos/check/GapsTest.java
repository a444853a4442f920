package io.sluice.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class GapsTest {
    private final History history = new History();

    private void acknowledged(int partition, long... atNanos) {
        for (long at : atNanos) {
            history.add(new Event.Acknowledged(at, new Value(1, partition, (int) at), at));
        }
    }

    @Test
    void theLongestTimeBetweenTwoAcknowledgementsCounts() {
        acknowledged(0, 100, 110, 150, 155);
        assertThat(new Gaps(history, 100, 160).of(0)).isEqualTo(Duration.ofNanos(40));
    }

    @Test
    void aGapThatReachesIntoTheWindowCountsWhole() {
        acknowledged(0, 100, 180, 185, 300);
        assertThat(new Gaps(history, 150, 184).of(0)).isEqualTo(Duration.ofNanos(80));
        assertThat(new Gaps(history, 182, 190).of(0)).isEqualTo(Duration.ofNanos(115));
    }

    @Test
    void whatHappenedOutsideOfTheWindowDoesNotCount() {
        acknowledged(0, 0, 100, 101, 102, 202);
        assertThat(new Gaps(history, 100, 102).of(0)).isEqualTo(Duration.ofNanos(1));
    }

    @Test
    void aPartitionThatDoesNotComeBackHasAGapUpToTheEnd() {
        acknowledged(0, 100);
        acknowledged(1, 100, 150, 199);
        Gaps gaps = new Gaps(history, 100, 200);
        assertThat(gaps.of(0)).isEqualTo(Duration.ofNanos(100));
        assertThat(gaps.worst(List.of(0, 1))).isEqualTo(Duration.ofNanos(100));
        assertThat(gaps.worst(List.of(1))).isEqualTo(Duration.ofNanos(50));
    }
}
