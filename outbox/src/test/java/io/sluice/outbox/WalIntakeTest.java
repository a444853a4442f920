package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.wal.Change;
import io.sluice.outbox.wal.Slot;
import io.sluice.outbox.wal.WalCursor;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WalIntakeTest {
    private static final int MOST_EVENTS = 5;
    private static final int MOST_BYTES = 1_000;

    private final Deque<List<Change>> coming = new ArrayDeque<>();
    private boolean ends;
    private final WalCursor cursor = WalCursor.at("events", new Slot.Beginning("100:100:", 1_000));
    private final WalIntake intake = new WalIntake(this::take, cursor, MOST_EVENTS, MOST_BYTES);

    @Test
    void aTransactionThatIsNotCompleteWaits() throws Exception {
        come(row(101, 1), row(101, 2));
        assertThat(intake.take()).isEmpty();
        come(row(101, 3), end(1_010));
        assertThat(intake.take())
                .containsExactly(row(101, 1), row(101, 2), row(101, 3), end(1_010));
    }

    @Test
    void batchesEndWithTransactions() throws Exception {
        come(
                row(101, 1),
                row(101, 2),
                end(1_010),
                row(102, 3),
                row(102, 4),
                end(1_020),
                row(103, 5));
        assertThat(intake.take()).endsWith(end(1_020)).hasSize(6);
        come(end(1_030));
        assertThat(intake.take()).containsExactly(row(103, 5), end(1_030));
    }

    @Test
    void aBatchIsNoLargerThanItMayBe() throws Exception {
        come(rows(101, 1, 4), List.of(end(1_010)), rows(102, 5, 8), List.of(end(1_020)));
        assertThat(intake.take()).endsWith(end(1_010)).hasSize(5);
        assertThat(intake.take()).as("is there already").endsWith(end(1_020)).hasSize(5);
        come(large(103, 9), end(1_030), large(104, 10), end(1_040));
        assertThat(intake.take()).containsExactly(large(103, 9), end(1_030));
    }

    @Test
    void onlyATransactionThatIsTooLargeIsCut() throws Exception {
        come(rows(101, 1, 12), List.of(end(1_010)));
        assertThat(intake.take()).hasSize(5);
        assertThat(intake.take()).hasSize(5);
        assertThat(intake.take()).containsExactly(row(101, 11), row(101, 12), end(1_010));
    }

    @Test
    void whatTheTableHasPublishedIsLeftOut() throws Exception {
        come(row(99, 1), end(1_010), row(100, 2), end(1_020));
        assertThat(intake.take()).containsExactly(end(1_010), row(100, 2), end(1_020));
    }

    /// A predecessor was in the middle of a transaction that is brought again from its beginning.
    @Test
    void whatAPredecessorHasPublishedOfATransactionIsLeftOut() throws Exception {
        cursor.published(101);
        cursor.published(101);
        WalIntake successor = new WalIntake(this::take, cursor, MOST_EVENTS, MOST_BYTES);
        come(row(99, 1), row(101, 2), row(101, 3), row(101, 4), end(1_010));
        assertThat(successor.take()).containsExactly(row(101, 4), end(1_010));
    }

    @Test
    void whenTheStreamEndsWhatIsCompleteComesFirst() throws Exception {
        come(row(101, 1), end(1_010), row(102, 2));
        ends = true;
        assertThat(intake.take()).containsExactly(row(101, 1), end(1_010));
        assertThatThrownBy(intake::take).isInstanceOf(WalIntake.Ended.class).hasMessage("gone");
    }

    private List<Change> take(Duration longest) throws SQLException {
        if (ends && coming.isEmpty()) {
            throw new SQLException("gone");
        }
        return coming.isEmpty() ? List.of() : coming.remove();
    }

    private void come(Change... changes) {
        coming.add(List.of(changes));
    }

    @SafeVarargs
    private void come(List<Change>... parts) {
        List<Change> all = new ArrayList<>();
        for (List<Change> part : parts) {
            all.addAll(part);
        }
        coming.add(all);
    }

    private static List<Change> rows(long xid, int from, int to) {
        List<Change> rows = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            rows.add(row(xid, i));
        }
        return rows;
    }

    private static Change row(long xid, int ord) {
        return row(xid, ord, SMALL);
    }

    private static Change large(long xid, int ord) {
        return row(xid, ord, LARGE);
    }

    private static Change row(long xid, int ord, Event.Payload payload) {
        return new Change.Row(new Event(ord, 0, "" + ord, "a", Map.of(), payload, 0), xid);
    }

    private static final Event.Payload SMALL = Event.Payload.of("x");
    private static final Event.Payload LARGE = Event.Payload.of("x".repeat(MOST_BYTES + 1));

    private static Change end(long lsn) {
        return new Change.End(lsn);
    }
}
