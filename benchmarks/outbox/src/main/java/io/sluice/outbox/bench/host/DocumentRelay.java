package io.sluice.outbox.bench.host;

import io.sluice.outbox.ConnectionSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/// The document's relay, written from its text: claims with SKIP LOCKED, sends each event on a pool's thread and waits for it there, marks.
///
/// Owned by one thread; the pool is shared, as in the document's test.
final class DocumentRelay {
    private static final String CLAIM =
            """
            UPDATE transfer_events SET status = 'SENDING', updated_at = ?
            WHERE event_id IN (
                SELECT event_id FROM transfer_events
                WHERE status = 'PENDING' AND next_retry_at <= ? {part}
                ORDER BY event_id LIMIT ? FOR UPDATE SKIP LOCKED)
            RETURNING event_id, aggregate_id, payload, headers
            """;

    private final ConnectionSource database;
    private final Producer<String, String> producer;
    private final ExecutorService pool;
    private final String topic;
    private final int batchSize;
    private final int timeoutSeconds;
    private final @Nullable Part part;

    /// Its share of the events by `MOD(event_id, total)`.
    record Part(int number, int total) {}

    private record Row(long id, String key, String payload) {}

    DocumentRelay(
            ConnectionSource database,
            Producer<String, String> producer,
            ExecutorService pool,
            String topic,
            @Nullable Part part) {
        this.database = database;
        this.producer = producer;
        this.pool = pool;
        this.topic = topic;
        this.part = part;
        this.batchSize = 1_000;
        this.timeoutSeconds = 10;
    }

    /// One round.
    ///
    /// @return events published
    int run(Connection connection) throws SQLException, InterruptedException {
        Instant now = Instant.now();
        List<Row> batch = claim(connection, now);
        if (batch.isEmpty()) {
            return 0;
        }
        List<CompletableFuture<@Nullable Long>> futures = new ArrayList<>();
        for (Row row : batch) {
            futures.add(CompletableFuture.supplyAsync(() -> send(row), pool));
        }
        List<Long> done = new ArrayList<>();
        for (CompletableFuture<@Nullable Long> future : futures) {
            Long id = future.join();
            if (id != null) {
                done.add(id);
            }
        }
        mark(connection, done, now);
        return done.size();
    }

    Connection open() throws SQLException {
        return database.open();
    }

    private @Nullable Long send(Row row) {
        try {
            producer.send(new ProducerRecord<>(topic, row.key(), row.payload()))
                    .get(timeoutSeconds, TimeUnit.SECONDS);
            return row.id();
        } catch (ExecutionException | TimeoutException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private List<Row> claim(Connection connection, Instant now) throws SQLException {
        String share =
                part == null
                        ? ""
                        : "AND MOD(event_id, %d) = %d".formatted(part.total(), part.number());
        try (PreparedStatement update =
                connection.prepareStatement(CLAIM.replace("{part}", share))) {
            update.setTimestamp(1, Timestamp.from(now));
            update.setTimestamp(2, Timestamp.from(now));
            update.setInt(3, batchSize);
            List<Row> rows = new ArrayList<>();
            try (ResultSet row = update.executeQuery()) {
                while (row.next()) {
                    rows.add(new Row(row.getLong(1), row.getString(2), row.getString(3)));
                }
            }
            return rows;
        }
    }

    private static void mark(Connection connection, List<Long> ids, Instant now)
            throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE transfer_events SET status = 'PUBLISHED', updated_at = ? WHERE event_id = ANY (?)")) {
            update.setTimestamp(1, Timestamp.from(now));
            update.setArray(2, connection.createArrayOf("int8", ids.toArray()));
            update.executeUpdate();
        }
    }
}
