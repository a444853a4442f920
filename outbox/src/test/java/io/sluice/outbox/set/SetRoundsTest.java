package io.sluice.outbox.set;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.Outbox;
import io.sluice.outbox.OutboxEvent;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.RelayCounts;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.publishing.Headers;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.Refusal;
import io.sluice.outbox.publishing.Sender;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(MariaDb.Extension.class)
@Timeout(120)
class SetRoundsTest {
    /// Nobody has said whether it is written: it is sent again, with its number.
    @Test
    void whatStandsBeforeARefusedEventIsSentAgain(MariaDb database) throws Exception {
        RelaySettings settings = RelaySettings.of("t", Map.of("bootstrap.servers", "nowhere:1"));
        SetTables tables = new SetTables(settings.table(), settings.parking());
        Map<Integer, SetLane> lanes = new TreeMap<>();
        List<List<String>> sent = new ArrayList<>();
        try (Connection connection = database.open();
                Sender sender = new SecondIsRefused(sent)) {
            connection.setAutoCommit(false);
            for (String payload : List.of("1", "2", "3")) {
                Outbox.in(OutboxTable.TRANSFER_EVENTS)
                        .append(connection, OutboxEvent.of("a", "t", payload));
            }
            tables.claim(connection, 1, 64).forEach(lane -> lanes.put(lane.number(), lane));
            connection.commit();
            SetRounds rounds =
                    new SetRounds(
                            settings,
                            tables,
                            lanes,
                            () -> true,
                            _ -> false,
                            _ -> {},
                            new RelayCounts(_ -> {}));
            assertThat(rounds.publish(connection, sender)).isEqualTo(1);
        }
        assertThat(sent).hasSize(2);
        assertThat(sent.getFirst()).hasSize(3);
        assertThat(sent.getLast()).containsExactly(sent.getFirst().getFirst());
        assertThat(database.number("SELECT count(*) FROM transfer_events")).isEqualTo(2);
        assertThat(database.number("SELECT count(*) FROM outbox_set_parked")).isEqualTo(1);
    }

    /// The broker is away, and will be for longer than anybody wants to wait.
    @Test
    void whoStopsDoesNotTryAgain(MariaDb database) throws Exception {
        RelaySettings settings = RelaySettings.of("t", Map.of("bootstrap.servers", "nowhere:1"));
        SetTables tables = new SetTables(settings.table(), settings.parking());
        Map<Integer, SetLane> lanes = new TreeMap<>();
        AtomicInteger attempts = new AtomicInteger();
        try (Connection connection = database.open();
                Sender sender = new Away(attempts)) {
            connection.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS)
                    .append(connection, OutboxEvent.of("a", "t", "1"));
            tables.claim(connection, 1, 64).forEach(lane -> lanes.put(lane.number(), lane));
            connection.commit();
            SetRounds rounds =
                    new SetRounds(
                            settings,
                            tables,
                            lanes,
                            () -> true,
                            _ -> attempts.get() == 3,
                            _ -> {},
                            new RelayCounts(_ -> {}));
            assertThat(rounds.publish(connection, sender)).isZero();
        }
        assertThat(attempts).hasValue(3);
        assertThat(database.number("SELECT count(*) FROM transfer_events")).isEqualTo(1);
    }

    /// A table of somebody's own may have NULL for both; the generated column then has no lane.
    @Test
    void rowsWithoutAggregateOrPayloadArePublishedInTheirOrder(MariaDb database) throws Exception {
        database.run("ALTER TABLE transfer_events MODIFY aggregate_id varchar(255) NULL");
        database.run("ALTER TABLE transfer_events MODIFY payload longtext NULL");
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload) VALUES (NULL, '1'), ('a', NULL), ('', '2'), (NULL, NULL), (NULL, '3')");
        database.run(
                "INSERT INTO outbox_set_parked (outbox, aggregate_id, attempts, next_retry_at) VALUES ('transfer_events', 'b', 1, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)");
        RelaySettings settings = RelaySettings.of("t", Map.of("bootstrap.servers", "nowhere:1"));
        SetTables tables = new SetTables(settings.table(), settings.parking());
        Map<Integer, SetLane> lanes = new TreeMap<>();
        List<String> sent = new ArrayList<>();
        try (Connection connection = database.open();
                Sender sender = new TakesAll(sent)) {
            connection.setAutoCommit(false);
            tables.claim(connection, 1, 64).forEach(lane -> lanes.put(lane.number(), lane));
            SetRounds rounds =
                    new SetRounds(
                            settings,
                            tables,
                            lanes,
                            () -> true,
                            _ -> false,
                            _ -> {},
                            new RelayCounts(_ -> {}));
            rounds.took(connection);
            assertThat(rounds.publish(connection, sender)).isEqualTo(5);
        }
        assertThat(sent)
                .containsSubsequence("null=1", "=2", "null=null", "null=3")
                .contains("a=null")
                .hasSize(5);
        assertThat(database.number("SELECT count(*) FROM transfer_events")).isZero();
    }

    private record TakesAll(List<String> sent) implements Sender {
        @Override
        public Optional<Refusal> prepare() {
            return Optional.empty();
        }

        @Override
        public Outcome publish(
                List<Numbered> events, BooleanSupplier goOn, Supplier<List<Numbered>> behind) {
            for (Numbered event : events) {
                var record = Headers.numbered("t", event);
                sent.add(text(record.key()) + "=" + text(record.value()));
            }
            return new Outcome(events, Optional.empty());
        }

        private static String text(byte @Nullable [] bytes) {
            return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
        }

        @Override
        public void close() {}
    }

    private record Away(AtomicInteger attempts) implements Sender {
        @Override
        public Optional<Refusal> prepare() {
            return Optional.of(new Refusal.Transport("away"));
        }

        @Override
        public Outcome publish(
                List<Numbered> events, BooleanSupplier goOn, Supplier<List<Numbered>> behind) {
            attempts.incrementAndGet();
            Refusal why = new Refusal.Transport("away");
            return new Outcome(List.of(), Optional.of(new Outcome.Refused(events.getFirst(), why)));
        }

        @Override
        public void close() {}
    }

    private record SecondIsRefused(List<List<String>> sent) implements Sender {
        @Override
        public Optional<Refusal> prepare() {
            return Optional.empty();
        }

        @Override
        public Outcome publish(
                List<Numbered> events, BooleanSupplier goOn, Supplier<List<Numbered>> behind) {
            sent.add(events.stream().map(event -> Long.toString(event.sequence())).toList());
            if (events.size() == 1) {
                return new Outcome(events, Optional.empty());
            }
            Refusal why = new Refusal.OfRecord("too large");
            return new Outcome(List.of(), Optional.of(new Outcome.Refused(events.get(1), why)));
        }

        @Override
        public void close() {}
    }
}
