package io.sluice.outbox.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Event;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ChangeQueueTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final ChangeQueue queue = new ChangeQueue(4, 1_000);

    @Test
    void aTransactionIsTakenWholeAndAtOnce() throws Exception {
        queue.put(row(1), 10);
        queue.put(row(2), 10);
        assertThat(queue.take(Duration.ZERO)).as("not complete").isEmpty();
        queue.put(new Change.End(7), 10);
        assertThat(queue.take(LONG)).containsExactly(row(1), row(2), new Change.End(7));
        assertThat(queue.take(Duration.ZERO)).isEmpty();
    }

    @Test
    void whatFillsTheRoomIsTakenThoughNothingIsComplete() throws Exception {
        for (int i = 1; i <= 4; i++) {
            queue.put(row(i), 10);
        }
        assertThat(queue.take(Duration.ZERO)).hasSize(4);
        queue.put(row(5), 5_000);
        assertThat(queue.take(Duration.ZERO)).as("larger than all the room").hasSize(1);
    }

    @Test
    void whoFindsNoRoomGoesOnWhenAllIsTaken() throws Exception {
        for (int i = 1; i <= 4; i++) {
            queue.put(row(i), 10);
        }
        Thread reader = Thread.ofPlatform().start(() -> putUnchecked(new Change.End(9)));
        while (reader.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertThat(queue.take(LONG)).hasSize(4);
        assertThat(queue.take(LONG)).containsExactly(new Change.End(9));
        reader.join();
    }

    @Test
    void whoWaitsIsWokenByTheEnd() throws Exception {
        Thread reader = Thread.ofPlatform().start(() -> queue.end(new IllegalStateException()));
        assertThat(queue.take(LONG)).isEmpty();
        reader.join();
        assertThat(queue.ended()).isNotNull();
    }

    @Test
    void whatCameBeforeTheEndIsTakenFirst() throws Exception {
        queue.put(row(1), 10);
        queue.end(new IllegalStateException("gone"));
        assertThat(queue.ended()).as("something is left").isNull();
        assertThat(queue.take(Duration.ZERO)).containsExactly(row(1));
        assertThat(queue.ended()).hasMessage("gone");
    }

    private void putUnchecked(Change change) {
        try {
            queue.put(change, 10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Change row(long ord) {
        return new Change.Row(new Event(ord, 0, "" + ord, "a", Map.of(), PAYLOAD, 0), 1);
    }

    private static final Event.Payload PAYLOAD = Event.Payload.of("x");
}
