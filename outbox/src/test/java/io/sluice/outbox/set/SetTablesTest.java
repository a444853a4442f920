package io.sluice.outbox.set;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.Outbox;
import io.sluice.outbox.OutboxEvent;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.lanes.Event;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(MariaDb.Extension.class)
@Timeout(120)
class SetTablesTest {
    private static final long SELF = 7;
    private static final List<Integer> LANES = IntStream.range(0, 64).boxed().toList();

    private final SetTables tables =
            new SetTables(
                    OutboxTable.TRANSFER_EVENTS,
                    new Backoff(Duration.ofHours(1), Duration.ofHours(1)));

    /// A statement of a session that was given up may have been stuck on its way, and arrive when the lane has gone on.
    @Test
    void whatALostSessionHadAskedForChangesNothingAnyMore(MariaDb database) throws Exception {
        try (Connection connection = database.open()) {
            List<SetLane> before = tables.claim(connection, SELF, 3);
            List<SetLane> again = tables.takeAgain(connection, SELF);
            assertThat(again)
                    .extracting(SetLane::number)
                    .containsExactlyInAnyOrderElementsOf(
                            before.stream().map(SetLane::number).toList());
            assertThat(tables.save(connection, before)).isFalse();
            assertThat(tables.save(connection, again)).isTrue();
        }
    }

    @Test
    void idsThatDifferInCaseAccentOrSpaceAreDifferentAggregates(MariaDb database) throws Exception {
        try (Connection connection = database.open()) {
            append(connection, "a", "A", "a ", "á", "");
            tables.park(connection, "A", "too large");
            assertThat(unparked(connection)).containsExactly("a", "a ", "á", "");
            tables.park(connection, "a ", "too large");
            tables.park(connection, "a", "too large");
            tables.park(connection, "A", "too large, again");
            assertThat(tables.parked(connection)).containsExactlyInAnyOrder("A", "a", "a ");
            assertThat(database.number("SELECT sum(attempts) FROM outbox_set_parked")).isEqualTo(4);
            assertThat(unparked(connection)).containsExactly("á", "");
            tables.release(connection, List.of("a"));
            assertThat(tables.parked(connection)).containsExactlyInAnyOrder("A", "a ");
            assertThat(unparked(connection)).containsExactly("a", "á", "");
        }
    }

    /// Of an earlier version, or somebody's own.
    @Test
    void alsoInTablesThatTakeThemForTheSame(MariaDb database) throws Exception {
        for (String table : List.of("transfer_events", "outbox_set_parked")) {
            database.run(
                    "ALTER TABLE %s MODIFY aggregate_id varchar(255) CHARACTER SET latin1 COLLATE latin1_swedish_ci NOT NULL"
                            .formatted(table));
        }
        try (Connection connection = database.open()) {
            append(connection, "a", "A", "a ", "é");
            tables.park(connection, "A", "too large");
            assertThat(unparked(connection)).containsExactly("a", "a ", "é");
            tables.release(connection, List.of("a"));
            assertThat(tables.parked(connection)).containsExactly("A");
            tables.park(connection, "é", "too large");
            assertThat(tables.parked(connection)).containsExactlyInAnyOrder("A", "é");
            assertThat(unparked(connection)).containsExactly("a", "a ");
        }
    }

    /// The tables do not have the character set of their database.
    @Test
    void idsAndPayloadsAreOfAnyLanguage(MariaDb database) throws Exception {
        database.run("ALTER DATABASE CHARACTER SET latin1");
        database.run("DROP TABLE transfer_events, outbox_set_lane, outbox_set_parked");
        try (Connection connection = database.open()) {
            SetSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
            append(connection, "계좌-1", "계좌-2");
            tables.park(connection, "계좌-1", "너무 큽니다");
            assertThat(tables.parked(connection)).containsExactly("계좌-1");
            List<Event> events = tables.read(connection, LANES, 100, 10_000);
            assertThat(events).extracting(Event::key).containsExactly("계좌-2");
            assertThat(payload(events.getFirst())).isEqualTo("{\"이체\":\"계좌-2\"}");
        }
    }

    /// As `docs/outbox.md` says.
    @Test
    void tablesOfAnEarlierVersionAreConverted(MariaDb database) throws Exception {
        for (String table : List.of("transfer_events", "outbox_set_parked")) {
            database.run(
                    "ALTER TABLE %s CONVERT TO CHARACTER SET latin1 COLLATE latin1_swedish_ci"
                            .formatted(table));
        }
        try (Connection connection = database.open()) {
            database.run(
                    "ALTER TABLE transfer_events CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
            database.run("DROP TABLE outbox_set_parked");
            SetSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
            append(connection, "계좌", "A");
            tables.park(connection, "계좌", "too large");
            assertThat(unparked(connection)).containsExactly("A");
        }
        assertThat(
                        database.number(
                                "SELECT count(*) FROM transfer_events WHERE lane = (CRC32(aggregate_id) & 63)"))
                .isEqualTo(2);
    }

    private static String payload(Event event) {
        byte[] bytes = event.payload().bytes();
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    private List<String> unparked(Connection connection) throws Exception {
        return tables.read(connection, LANES, 100, 10_000).stream().map(Event::key).toList();
    }

    private static void append(Connection connection, String... aggregates) throws Exception {
        connection.setAutoCommit(false);
        for (String aggregate : aggregates) {
            String payload = "{\"이체\":\"%s\"}".formatted(aggregate);
            Outbox.in(OutboxTable.TRANSFER_EVENTS)
                    .append(connection, OutboxEvent.of(aggregate, "t", payload));
        }
        connection.commit();
        connection.setAutoCommit(true);
    }
}
