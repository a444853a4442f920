package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.LaneCursor;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.lanes.Page;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RelayStatusTest {
    private final RelayStatus status = new RelayStatus(latency -> {}, () -> 0);

    @Test
    void whatOthersHaveToPublishIsNotOurs() {
        assertThat(status.oldestUnpublished()).isZero();
        status.owns(List.of(lane(1)), 0);
        assertThat(status.oldestUnpublished())
                .as("before the first look, since the start")
                .isLessThan(Duration.ofMinutes(10));
        status.owns(List.of(), 0);
        assertThat(status.oldestUnpublished()).isZero();
    }

    @Test
    void whileNobodyCanLookTheTimeIsCounted() {
        status.databaseFailed("gone");
        assertThat(status.oldestUnpublished()).isPositive();
    }

    @Test
    void aStoppedLaneIsTheNextOwnersTrouble() {
        status.owns(List.of(lane(1), lane(2)), 0);
        status.stopped(1, "no such topic");
        status.stopped(2, "no such topic");
        status.owns(List.of(lane(2)), 0);
        assertThat(status.stopped()).containsOnlyKeys(2);
    }

    @Test
    void whatNobodyHasForeseenIsOverWhenTheDatabaseIsReached() {
        status.failed(new IllegalStateException("bug"));
        assertThat(status.trouble()).contains("bug");
        status.databaseReached();
        assertThat(status.trouble()).isNull();
        status.transportFailed("gone");
        status.databaseReached();
        assertThat(status.trouble()).isEqualTo("broker: gone");
    }

    /// Without lanes nothing is sent, and nothing would ever show that the broker is back.
    @Test
    void theBrokerIsTheTroubleOfWhoHasLanes() {
        status.owns(List.of(lane(1)), 0);
        status.transportFailed("gone");
        status.owns(List.of(lane(1)), 0);
        assertThat(status.trouble()).isEqualTo("broker: gone");
        status.owns(List.of(), 0);
        assertThat(status.trouble()).isNull();
    }

    /// The next page may be read, for long, between an acknowledgement and this.
    @Test
    void theLatencyOfAnEventEndsWithItsAcknowledgement() {
        List<Duration> latencies = new ArrayList<>();
        RelayStatus measuring = new RelayStatus(latencies::add, () -> 0);
        Event event = new Event(1, 0, "1", "a", Map.of(), Event.Payload.of("x"), 1_000);
        measuring.read(new Page("1:1:", List.of(event), true), 5_000_000);
        measuring.published(List.of(new Numbered(event, 1)), 7_000_000);
        assertThat(latencies).containsExactly(Duration.ofMillis(3));
    }

    private static Lane lane(int number) {
        return new Lane(number, 1, new LaneCursor("1:1:", null, 0, 0));
    }
}
