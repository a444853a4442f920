package io.sluice.outbox.operating;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.membership.Members;
import io.sluice.outbox.parking.AbsentParts;
import io.sluice.outbox.reading.HeadersJson;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// What a person can do about events that were refused: look, have them tried again now, give them up, or send them to another
/// topic. The events that wait behind one that is given up go on in their order.
///
/// ```
///            retry: due now
///   FAILED ◀───────────────┐            skip: gone
///     │  └──────────────────┘ ─────────────────────────────▶ ∅
///     └──send elsewhere──▶ DEAD_LETTER ──acknowledged──▶ ∅      (a relay leaves it alone; retry takes it back)
/// ```
/// Events of compat mode that failed come first. They are handled where they are, in the event table ([FailedEvents]).
///
/// Immutable. Every change is one short transaction under the lock of the lane's row, which its relay takes as well.
public final class ParkedEvents {
    /// Headers of a record in a dead-letter topic, beside those the event has.
    public static final String REASON = "outbox-dead-letter-reason";

    public static final String ATTEMPTS = "outbox-dead-letter-attempts";
    public static final String EVENT_ID = "outbox-event-id";

    private final ConnectionSource database;
    private final OutboxTable table;

    ParkedEvents(ConnectionSource database, OutboxTable table) {
        this.database = database;
        this.table = table;
    }

    /// Those of compat mode, then in the order of their aggregates and of their places; at most `limit`.
    public List<Parked> list(@Nullable String key, int limit) throws SQLException {
        try (Connection connection = database.open()) {
            Columns columns = Columns.of(connection, table);
            List<Parked> parked = new FailedEvents(table, columns).list(connection, key, limit);
            if (columns.hasLogMode() && parked.size() < limit) {
                parked.addAll(besideTheTable(connection, key, limit - parked.size()));
            }
            return parked;
        }
    }

    private List<Parked> besideTheTable(Connection connection, @Nullable String key, int limit)
            throws SQLException {
        String sql =
                """
                SELECT lane, aggregate_id, ord, event_id, state, attempts, next_retry_at, parked_at, length(payload), coalesce(last_error, '')
                FROM outbox_parked WHERE outbox = ? AND (?::text IS NULL OR aggregate_id = ?)
                ORDER BY lane, aggregate_id, ord LIMIT ?
                """;
        List<Parked> parked = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, table.name());
            query.setString(2, key);
            query.setString(3, key);
            query.setInt(4, limit);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    parked.add(Parked.of(row));
                }
            }
        }
        return parked;
    }

    /// Makes refused events due now, of one aggregate or of all, and wakes the relays.
    ///
    /// @return how many
    public int retry(@Nullable String key) throws SQLException {
        try (Connection connection = database.open()) {
            Columns columns = Columns.of(connection, table);
            connection.setAutoCommit(false);
            int changed = new FailedEvents(table, columns).retry(connection, key);
            if (columns.hasLogMode()) {
                changed += retryBesideTheTable(connection, key);
            }
            connection.commit();
            return changed;
        }
    }

    private int retryBesideTheTable(Connection connection, @Nullable String key)
            throws SQLException {
        int changed;
        try (PreparedStatement update =
                connection.prepareStatement(
                        """
                        UPDATE outbox_parked SET next_retry_at = clock_timestamp(), state = 'FAILED'
                        WHERE outbox = ? AND state IN ('FAILED', 'DEAD_LETTER') AND (?::text IS NULL OR aggregate_id = ?)
                        """)) {
            update.setString(1, table.name());
            update.setString(2, key);
            update.setString(3, key);
            changed = update.executeUpdate();
        }
        Members.ring(connection);
        return changed;
    }

    /// Gives the first event of this aggregate up: it is never published, and those behind it go on. The row in the event table
    /// stays; in compat mode it says that it was published.
    ///
    /// @return the event; empty if nothing of the aggregate is parked
    /// @throws IllegalStateException if a relay is sending it at this moment
    public Optional<Parked> skip(String key) throws SQLException {
        Optional<Parked> first = list(key, 1).stream().findFirst();
        if (first.isPresent()) {
            try (Connection connection = database.open()) {
                Columns columns = Columns.of(connection, table);
                connection.setAutoCommit(false);
                if (first.get().isOfCompat()) {
                    FailedEvents failed = new FailedEvents(table, columns);
                    failed.lock(connection, first.get());
                    failed.giveUp(connection, first.get());
                } else {
                    lock(connection, first.get());
                    remove(connection, first.get());
                }
                connection.commit();
            }
        }
        return first;
    }

    /// Sends the first event of this aggregate to another topic and then gives it up here. If the process dies between the two, the
    /// event stays, in state `DEAD_LETTER`, or as it was in compat mode: call again (it may arrive twice), or [#retry].
    ///
    /// @param producer settings of kafka-clients' producer
    public Optional<Parked> deadLetter(String key, String topic, Map<String, Object> producer)
            throws SQLException, InterruptedException {
        Optional<Parked> first = list(key, 1).stream().findFirst();
        if (first.isEmpty()) {
            return first;
        }
        try (Connection connection = database.open()) {
            Columns columns = Columns.of(connection, table);
            connection.setAutoCommit(false);
            if (first.get().isOfCompat()) {
                FailedEvents failed = new FailedEvents(table, columns);
                failed.lock(connection, first.get());
                send(
                        explained(failed.record(connection, first.get(), topic), first.get()),
                        producer);
                failed.giveUp(connection, first.get());
            } else {
                lock(connection, first.get());
                mark(connection, first.get());
                ProducerRecord<byte[], byte[]> record = record(connection, first.get(), topic);
                connection.commit();
                send(record, producer);
                lock(connection, first.get());
                remove(connection, first.get());
            }
            connection.commit();
        }
        return first;
    }

    /// The lane's relay writes about parked events in transactions that have written to this row.
    private void lock(Connection connection, Parked event) throws SQLException {
        try (PreparedStatement lock =
                connection.prepareStatement(
                        "SELECT 1 FROM outbox_lane WHERE outbox = ? AND lane = ? FOR UPDATE")) {
            lock.setString(1, table.name());
            lock.setInt(2, event.lane());
            lock.execute();
        }
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT 1 FROM outbox_parked WHERE outbox = ? AND lane = ? AND aggregate_id = ? AND ord = ? AND sequence IS NULL")) {
            locate(query, event);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    connection.rollback();
                    throw new IllegalStateException(
                            "event %s of %s is being sent by its relay at this moment, or no longer parked; look again"
                                    .formatted(event.eventId(), event.key()));
                }
            }
        }
    }

    private void mark(Connection connection, Parked event) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE outbox_parked SET state = 'DEAD_LETTER' WHERE outbox = ? AND lane = ? AND aggregate_id = ? AND ord = ?")) {
            locate(update, event);
            update.executeUpdate();
        }
    }

    private void remove(Connection connection, Parked event) throws SQLException {
        try (PreparedStatement delete =
                connection.prepareStatement(
                        "DELETE FROM outbox_parked WHERE outbox = ? AND lane = ? AND aggregate_id = ? AND ord = ?")) {
            locate(delete, event);
            delete.executeUpdate();
        }
        Members.ring(connection);
    }

    private ProducerRecord<byte[], byte[]> record(Connection connection, Parked event, String topic)
            throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT payload, headers FROM outbox_parked WHERE outbox = ? AND lane = ? AND aggregate_id = ? AND ord = ?")) {
            locate(query, event);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                Map<String, String> noted = HeadersJson.read(row.getString(2));
                var record =
                        new ProducerRecord<byte[], byte[]>(
                                topic,
                                AbsentParts.isKeyless(noted) ? null : utf8(event.key()),
                                AbsentParts.isWithoutPayload(noted) ? null : row.getBytes(1));
                AbsentParts.headers(noted)
                        .forEach((name, value) -> record.headers().add(name, utf8(value)));
                return explained(record, event);
            }
        }
    }

    private static ProducerRecord<byte[], byte[]> explained(
            ProducerRecord<byte[], byte[]> record, Parked event) {
        record.headers()
                .add(EVENT_ID, utf8(event.eventId()))
                .add(REASON, utf8(event.error()))
                .add(ATTEMPTS, utf8(Integer.toString(event.attempts())));
        return record;
    }

    private static void send(
            ProducerRecord<byte[], byte[]> record, Map<String, Object> producerSettings)
            throws InterruptedException {
        Map<String, Object> settings = new HashMap<>(producerSettings);
        settings.put("acks", "all");
        settings.putIfAbsent("max.request.size", 64 << 20);
        try (Producer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(record).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "the dead-letter topic %s refuses the event too, it stays parked: %s"
                            .formatted(record.topic(), e.getCause()),
                    e);
        }
    }

    private void locate(PreparedStatement statement, Parked event) throws SQLException {
        statement.setString(1, table.name());
        statement.setInt(2, event.lane());
        statement.setString(3, event.key());
        statement.setLong(4, event.ord());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
