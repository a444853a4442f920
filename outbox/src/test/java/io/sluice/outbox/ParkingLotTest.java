package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.parking.ParkedEvent;
import io.sluice.outbox.parking.ParkingLot;
import io.sluice.outbox.parking.Retry;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What a retry takes from the table of parked events.
@ExtendWith(Database.Extension.class)
@Timeout(120)
class ParkingLotTest {
    private static final int LANE = 7;

    private final AtomicLong sequence = new AtomicLong(100);

    /// Somebody gave the last event a number, and perhaps sent it. Were the others of its lane sent first, with higher numbers, it would count as
    /// known wherever it arrives.
    @Test
    void whatHasANumberGoesBeforeWhateverElseIsDue(Database database) throws Exception {
        park(database, "b", 1, 1_500, "NULL");
        park(database, "a", 2_000, 2_000, "100");
        Retry retry = Retry.of(due(database, 1 << 20), _ -> sequence.incrementAndGet());
        assertThat(retry.all()).extracting(Numbered::sequence).containsExactly(100L);
        assertThat(retry.all().getFirst().event().key()).isEqualTo("a");
    }

    @Test
    void aRetryIsNoLargerThanAPage(Database database) throws Exception {
        park(database, "a", 1, 10, "NULL");
        assertThat(due(database, 25))
                .extracting(parked -> parked.event().ord())
                .as("ten bytes each")
                .containsExactly(1L, 2L, 3L);
    }

    /// The relay may die before it has removed what was acknowledged; with another number that would be published twice.
    @Test
    void whatWasSentBeforeARefusedEventKeepsItsNumber(Database database) throws Exception {
        park(database, "a", 10, 10, "101");
        park(database, "a", 11, 11, "102");
        park(database, "a", 12, 12, "103");
        ParkedEvent refused = due(database, 1 << 20).get(1);
        try (Connection connection = database.open()) {
            lot(1 << 20).refusedAgain(connection, refused, "too large");
        }
        assertThat(
                        database.column(
                                "SELECT ord || ' ' || coalesce(sequence::text, '-') FROM outbox_parked ORDER BY ord"))
                .containsExactly("10 101", "11 -", "12 -");
    }

    private static List<ParkedEvent> due(Database database, int mostBytes) throws Exception {
        try (Connection connection = database.open()) {
            return lot(mostBytes).due(connection, List.of(LANE));
        }
    }

    private static ParkingLot lot(int mostBytes) {
        Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1));
        return new ParkingLot("transfer_events", backoff, mostBytes);
    }

    private static void park(Database database, String key, int from, int to, String sequence) {
        database.run(
                """
                INSERT INTO outbox_parked (outbox, lane, aggregate_id, ord, event_id, payload, state, sequence)
                SELECT 'transfer_events', %d, '%s', i, i, 'ten bytes.', CASE i WHEN %d THEN 'FAILED' ELSE 'WAITING' END, %s
                FROM generate_series(%d, %d) i
                """
                        .formatted(LANE, key, from, sequence, from, to));
    }
}
