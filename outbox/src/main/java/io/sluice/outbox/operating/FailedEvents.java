package io.sluice.outbox.operating;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.reading.HeadersJson;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/// Events of compat mode that failed: they are where they were, `PENDING`, with a pause between `updated_at` and `next_retry_at`. Nothing waits behind them.
///
/// Whoever gives one up marks it as published: the table has no other word for what nobody shall send.
///
/// Immutable; used on connections of others.
final class FailedEvents {
    private final OutboxTable table;
    private final Columns columns;

    FailedEvents(OutboxTable table, Columns columns) {
        this.table = table;
        this.columns = columns;
    }

    /// In the order of their ids, in which relays claim them.
    List<Parked> list(Connection connection, @Nullable String key, int limit) throws SQLException {
        List<Parked> failed = new ArrayList<>();
        if (!columns.hasStatus()) {
            return failed;
        }
        try (PreparedStatement query =
                connection.prepareStatement(
                        sql(
                                """
                                SELECT {no-lane}, coalesce({key}::text, ''), {ord}, {id}::text, 'FAILED', {attempts}, next_retry_at, updated_at,
                                  coalesce(octet_length({payload}::text), 0), {cause}
                                FROM {table} WHERE {failed} AND (?::text IS NULL OR coalesce({key}::text, '') = ?) ORDER BY {id} LIMIT ?
                                """))) {
            query.setString(1, key);
            query.setString(2, key);
            query.setInt(3, limit);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    failed.add(Parked.of(row));
                }
            }
        }
        return failed;
    }

    /// Makes them due; the next pause is as long as it would have been.
    int retry(Connection connection, @Nullable String key) throws SQLException {
        if (list(connection, key, 1).isEmpty()) {
            return 0; // Whoever looks after log mode need not be allowed to change the table.
        }
        try (PreparedStatement update =
                connection.prepareStatement(
                        sql(
                                """
                                UPDATE {table} SET next_retry_at = now(), updated_at = now() - (next_retry_at - updated_at)
                                WHERE {failed} AND (?::text IS NULL OR coalesce({key}::text, '') = ?)
                                """))) {
            update.setString(1, key);
            update.setString(2, key);
            return update.executeUpdate();
        }
    }

    /// Until the transaction ends no relay claims it: they pass by what is locked.
    ///
    /// @throws IllegalStateException if one has claimed it
    void lock(Connection connection, Parked event) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        sql(
                                "SELECT 1 FROM {table} WHERE {id} = ?::bigint AND {failed} FOR UPDATE"))) {
            query.setString(1, event.eventId());
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    connection.rollback();
                    throw new IllegalStateException(
                            "event %s of %s is being sent by a relay at this moment, or no longer failed; look again"
                                    .formatted(event.eventId(), event.key()));
                }
            }
        }
    }

    void giveUp(Connection connection, Parked event) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        sql(
                                "UPDATE {table} SET status = 'PUBLISHED', updated_at = now() WHERE {id} = ?::bigint"))) {
            update.setString(1, event.eventId());
            update.executeUpdate();
        }
    }

    /// As the relay would send it.
    ProducerRecord<byte[], byte[]> record(Connection connection, Parked event, String topic)
            throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        sql(
                                "SELECT {key}::text, {payload}::text, {headers}::text FROM {table} WHERE {id} = ?::bigint"))) {
            query.setString(1, event.eventId());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                var record =
                        new ProducerRecord<byte[], byte[]>(
                                topic, utf8(row.getString(1)), utf8(row.getString(2)));
                HeadersJson.read(row.getString(3))
                        .forEach((name, value) -> record.headers().add(name, utf8(value)));
                return record;
            }
        }
    }

    private static byte @Nullable [] utf8(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    /// A writer may set `next_retry_at` for an event that is to be published later. Such a one has not failed, where the table can tell.
    private String sql(String template) {
        String failed = "status = 'PENDING' AND next_retry_at > updated_at";
        return template.replace(
                        "{failed}", failed + (columns.hasAttempts() ? " AND attempts > 0" : ""))
                .replace("{no-lane}", Integer.toString(Parked.NO_LANE))
                .replace("{ord}", columns.hasLogMode() ? "coalesce(ord, 0)" : "0")
                .replace("{attempts}", columns.hasAttempts() ? "attempts" : "0")
                .replace(
                        "{cause}", columns.hasLastError() ? "coalesce(last_error::text, '')" : "''")
                .replace("{table}", table.name())
                .replace("{id}", table.id())
                .replace("{key}", table.key())
                .replace("{headers}", table.headers())
                .replace("{payload}", table.payload());
    }
}
