package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.operating.Operator;
import io.sluice.outbox.operating.Parked;
import io.sluice.outbox.operating.ParkedEvents;
import io.sluice.outbox.operating.Replay;
import io.sluice.outbox.operating.Selection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.PGConnection;

/// What a person sees of an outbox in compat mode, and does about what has failed in it.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class OperatingCompatTest {
    private static final String REASONS =
            "ALTER TABLE transfer_events ADD COLUMN last_error text, ADD COLUMN attempts int NOT NULL DEFAULT 0";

    @Test
    @DisplayName("O2, O5: events that failed in the document's table are listed, and tried again")
    void whatHasFailedIsListedAndTriedAgain(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        database.run(REASONS);
        String topic = broker.topic();
        ParkedEvents parked = Operator.of(database, OutboxTable.TRANSFER_EVENTS).parked();
        fail(database, broker, topic, 2);
        List<Parked> listed = parked.list(null, 10);
        assertThat(listed).extracting(Parked::key).containsExactly("bad", "bad");
        assertThat(listed).extracting(Parked::attempts).containsOnly(1);
        assertThat(listed.getFirst().isOfCompat()).isTrue();
        assertThat(listed.getFirst().error()).contains("RecordTooLarge");
        assertThat(listed.getFirst().payloadBytes()).isEqualTo(60_002);
        assertThat(Duration.between(listed.getFirst().parkedAt(), listed.getFirst().nextRetryAt()))
                .isEqualTo(Duration.ofSeconds(100));
        assertThat(parked.list("bad", 1)).hasSize(1);
        assertThat(parked.list("good", 10)).isEmpty();

        assertThat(parked.retry("good")).isZero();
        assertThat(parked.retry("bad")).isEqualTo(2);
        assertThat(
                        database.column(
                                "SELECT extract(epoch FROM next_retry_at - updated_at)::int || (next_retry_at <= now())::text FROM transfer_events WHERE status = 'PENDING'"))
                .as("the pause that comes next is as long as it would have been")
                .containsExactly("100true", "100true");
        try (CompatRelay _ = relay(database, broker, topic, 1_000_000);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(3)
                    .awaitUntil(
                            () -> DocumentsTable.count(database, "PUBLISHED") == 3,
                            "all to be marked");
            assertThat(parked.list(null, 10)).isEmpty();
        }
    }

    @Test
    @DisplayName("O2: a failed event is skipped, or sent to another topic, unless it is being sent")
    void whatHasFailedIsGivenUp(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        String topic = broker.topic();
        String dead = broker.topic();
        ParkedEvents parked = Operator.of(database, OutboxTable.TRANSFER_EVENTS).parked();
        fail(database, broker, topic, 2);
        String first = parked.list("bad", 1).getFirst().eventId();
        assertThat(parked.skip("bad").orElseThrow().eventId()).isEqualTo(first);
        assertThat(
                        database.column(
                                "SELECT status FROM transfer_events WHERE aggregate_id = 'bad' ORDER BY event_id"))
                .containsExactly("PUBLISHED", "PENDING");
        try (TopicReader letters = new TopicReader(broker, dead)) {
            parked.deadLetter("bad", dead, broker.client());
            ConsumerRecord<String, String> letter = letters.await(1).records().getFirst();
            assertThat(letter.key()).isEqualTo("bad");
            assertThat(letter.value()).hasSize(60_002);
            assertThat(TopicReader.header(letter, "name")).isEqualTo("value");
            assertThat(TopicReader.header(letter, ParkedEvents.EVENT_ID)).isNotEqualTo(first);
        }
        assertThat(parked.list(null, 10)).isEmpty();
        assertThat(parked.skip("bad")).isEmpty();
        assertThat(DocumentsTable.count(database, "PENDING")).isZero();
    }

    @Test
    void whatARelayHasClaimedIsNotGivenUp(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        fail(database, broker, broker.topic(), 1);
        ParkedEvents parked = Operator.of(database, OutboxTable.TRANSFER_EVENTS).parked();
        try (Connection relay = database.open();
                Statement claim = relay.createStatement()) {
            relay.setAutoCommit(false);
            claim.execute(
                    "UPDATE transfer_events SET status = 'SENDING' WHERE aggregate_id = 'bad'");
            var skipping = CompletableFuture.runAsync(() -> skip(parked));
            String waiting =
                    "SELECT count(*) FROM pg_stat_activity WHERE %d = ANY (pg_blocking_pids(pid))"
                            .formatted(relay.unwrap(PGConnection.class).getBackendPID());
            while (database.number(waiting) == 0) {
                Thread.sleep(20);
            }
            relay.commit();
            assertThatThrownBy(skipping::join).hasMessageContaining("being sent by a relay");
        }
        assertThat(DocumentsTable.count(database, "SENDING")).isEqualTo(1);
    }

    private static void skip(ParkedEvents parked) {
        try {
            parked.skip("bad");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// A writer may say when an event is due at the earliest.
    @Test
    void whatIsNotYetDueHasNotFailed(Database database) throws SQLException {
        DocumentsTable.create(database);
        database.run(REASONS);
        DocumentsTable.insert(database, 1);
        database.run("UPDATE transfer_events SET next_retry_at = now() + interval '1 h'");
        assertThat(Operator.of(database, OutboxTable.TRANSFER_EVENTS).parked().list(null, 10))
                .isEmpty();
    }

    /// Where the scripts were run, both modes have a place for what was refused.
    @Test
    @DisplayName(
            "O2, O5: with the tables of log mode, failed events and published ones are found too")
    void bothModesAreLookedAt(Database database, Broker broker) throws Exception {
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toCompat(Duration.ofSeconds(10));
        String topic = broker.topic();
        fail(database, broker, topic, 1);
        database.run(
                "INSERT INTO outbox_parked (outbox, lane, aggregate_id, ord, event_id, payload, state, attempts, last_error) VALUES ('transfer_events', outbox_lane_of('other'), 'other', 1, '9', 'x', 'FAILED', 1, 'too large')");
        ParkedEvents parked = Operator.of(database, OutboxTable.TRANSFER_EVENTS).parked();
        assertThat(parked.list(null, 10)).extracting(Parked::key).containsExactly("bad", "other");
        assertThat(parked.list(null, 1)).hasSize(1);
        assertThat(parked.list("other", 10).getFirst().isOfCompat()).isFalse();
        assertThat(parked.retry(null)).isEqualTo(2);

        Replay replay =
                new Replay(database, OutboxTable.TRANSFER_EVENTS, new Selection.ByKey("good"));
        assertThat(replay.count()).isEqualTo(1);
        String again = broker.topic();
        assertThat(replay.publish("again", again, broker.client())).isEqualTo(1);
        try (TopicReader reader = new TopicReader(broker, again)) {
            assertThat(reader.await(1).records().getFirst().key()).isEqualTo("good");
        }
        assertThat(
                        new Replay(
                                        database,
                                        OutboxTable.TRANSFER_EVENTS,
                                        new Selection.ByKey("bad"))
                                .count())
                .as("it waits")
                .isZero();
    }

    @Test
    void theDocumentsTableCannotBeReplayed(Database database) {
        DocumentsTable.create(database);
        Replay replay = new Replay(database, OutboxTable.TRANSFER_EVENTS, new Selection.ByKey("a"));
        assertThatThrownBy(replay::count)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no column ord")
                .hasMessageContaining("UPDATE transfer_events SET status = 'PENDING'");
    }

    /// `prepare.sql` has made the columns of log mode, and not its tables: a large table may be left so for long.
    @Test
    @DisplayName("O2, O5: between prepare.sql and the scripts, compat mode is all there is")
    void aPreparedTableIsStillTheDocuments(Database database, Broker broker) throws Exception {
        DocumentsTable.create(database);
        try (Connection connection = database.open()) {
            OutboxSchema.prepare(connection, OutboxTable.TRANSFER_EVENTS);
        }
        fail(database, broker, broker.topic(), 1);
        Operator operator = Operator.of(database, OutboxTable.TRANSFER_EVENTS);
        assertThat(operator.summary().mode()).isEqualTo("compat");
        assertThat(operator.parked().list(null, 10)).extracting(Parked::key).containsExactly("bad");
        assertThat(operator.parked().retry(null)).isEqualTo(1);
        assertThat(operator.parked().skip("bad")).isPresent();
        Replay replay =
                new Replay(database, OutboxTable.TRANSFER_EVENTS, new Selection.ByKey("good"));
        assertThatThrownBy(replay::count)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Run the scripts");
    }

    /// One event is published, and so many are refused.
    private static void fail(Database database, Broker broker, String topic, int events)
            throws InterruptedException {
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload, headers) SELECT 'bad', to_jsonb(repeat('x', 60000)), '{\"name\": \"value\"}' FROM generate_series(1, %d)"
                        .formatted(events));
        database.run("INSERT INTO transfer_events (aggregate_id, payload) VALUES ('good', '1')");
        try (CompatRelay _ = relay(database, broker, topic, 50_000)) {
            while (DocumentsTable.count(database, "PUBLISHED") < 1
                    || database.number(
                                    "SELECT count(*) FROM transfer_events WHERE status = 'PENDING' AND next_retry_at > now()")
                            < events) {
                Thread.sleep(20);
            }
        }
    }

    private static CompatRelay relay(
            Database database, Broker broker, String topic, int maxRequestBytes) {
        return CompatRelays.start(
                database,
                broker,
                topic,
                Map.of("max.request.size", maxRequestBytes),
                Map.of("baseBackoffMs", "100000"));
    }
}
