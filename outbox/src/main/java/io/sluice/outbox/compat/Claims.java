package io.sluice.outbox.compat;

import io.sluice.outbox.BoundedSessions;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.reading.HeadersJson;
import io.sluice.outbox.reading.Patience;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Claims events in the document's table, marks them, gives them back.
///
/// ```
///            claim                    published
///  PENDING ─────────▶ SENDING ───────────────────▶ PUBLISHED
///     ▲                 │  ▲└─lease ran out: claimed again─┐
///     └─────────────────┘  └───────────────────────────────┘
///      failed: next_retry_at = now + back-off
/// ```
/// While an event is `SENDING` its `next_retry_at` is the end of the lease, and the mark of who claimed it: whoever comes back after
/// another has claimed it again changes nothing. What an instance of ours has left in `SENDING` does not wait for the end of its lease once its part has
/// a new owner, and the old one has had the time to notice ([Parts]). While it is `PENDING`, what lies between `updated_at` and `next_retry_at` is its
/// pause: the next one is longer, whichever instance has seen the failures before, and nobody has to remember them.
///
/// Used by one thread, on a connection in auto-commit mode.
final class Claims {
    private static final Duration TO_STOP = Duration.ofSeconds(5);
    private static final String CAUSE = "last_error";
    private static final String ATTEMPTS = "attempts";
    private static final String CREATED = "created_at";
    private static final String AGE =
            "(extract(epoch FROM clock_timestamp() - {table}.created_at) * 1000000)::bigint";

    /// A claimed event.
    ///
    /// @param paused how long it had to wait after its last failure; zero if this is its first attempt
    /// @param ageMicros since it was inserted; negative if the table does not tell
    record Claimed(
            long id,
            @Nullable String key,
            Map<String, String> headers,
            @Nullable String payload,
            Duration paused,
            long ageMicros) {}

    /// An event that goes back.
    ///
    /// @param pause until it is due again
    record Failed(long id, String cause, Duration pause) {}

    /// @param lease identifies the claim
    record Batch(List<Claimed> events, String lease) {}

    private final OutboxTable table;
    private final Duration lease;
    private final Duration usual;
    private final Patience patience;
    private Map<String, String> columns = Map.of(); // With their types.
    private Duration bound = Duration.ZERO; // What the session has been told.

    /// @param usual how long a claim may take at first. On a large table without an index that serves it, it may need longer: see [Patience]
    Claims(OutboxTable table, Duration lease, Duration usual) {
        this.table = table;
        this.lease = lease;
        this.usual = usual;
        this.patience = new Patience(usual);
    }

    /// The document's own table may have fewer columns than ours.
    void connected(Connection connection) throws SQLException {
        columns = optionalColumns(connection);
        bound = Duration.ZERO;
    }

    /// Due events of these parts, `MOD(event_id, total)`, in the order of their ids. A claim that takes too long is given up by the database itself: one that it
    /// finished for nobody would keep its events away from everybody until the lease is over.
    ///
    /// @param inherited those of the parts that somebody else has owned before, and sends nothing of any more: an event of them that one of us has claimed is
    ///     claimed by nobody. The document's own relay holds no lock that would tell: its lease is waited for. It is told by its `next_retry_at`, which it
    ///     leaves where it was
    Batch claim(
            Connection connection,
            int total,
            Collection<Integer> parts,
            Collection<Integer> inherited,
            int limit)
            throws SQLException {
        Duration longest = patience.now();
        long began = System.nanoTime();
        try {
            bound(connection, longest);
            Batch batch =
                    BoundedSessions.within(
                            connection,
                            longest.plus(TO_STOP),
                            () -> update(connection, total, parts, inherited, limit));
            if (System.nanoTime() - began < usual.toNanos()) {
                patience.rewarded();
            }
            return batch;
        } catch (SQLException e) {
            patience.exhausted();
            throw e;
        }
    }

    private void bound(Connection connection, Duration longest) throws SQLException {
        if (!longest.equals(bound)) {
            try (Statement set = connection.createStatement()) {
                set.execute("SET statement_timeout = " + longest.toMillis());
            }
            bound = longest;
        }
    }

    /// The lease begins when the first of them is found, not when the search began.
    private Batch update(
            Connection connection,
            int total,
            Collection<Integer> parts,
            Collection<Integer> inherited,
            int limit)
            throws SQLException {
        String sql =
                sql(
                        """
                        WITH due AS (
                          SELECT {id} AS id, CASE WHEN status = 'PENDING' AND next_retry_at > updated_at
                            THEN extract(epoch FROM next_retry_at - updated_at) * 1000 ELSE 0 END AS paused FROM {table}
                          WHERE ((status = 'PENDING' AND next_retry_at <= now())
                              OR (status = 'SENDING' AND greatest(next_retry_at, updated_at + ? * interval '1 millisecond') <= now())
                              OR (status = 'SENDING' AND next_retry_at > updated_at AND MOD({id}, ?) = ANY (?)))
                            AND MOD({id}, ?) = ANY (?)
                          ORDER BY {id} LIMIT ? FOR UPDATE SKIP LOCKED)
                        UPDATE {table} SET status = 'SENDING', updated_at = (SELECT clock_timestamp()),
                          next_retry_at = (SELECT clock_timestamp() + ? * interval '1 millisecond')
                        FROM due WHERE {table}.{id} = due.id
                        RETURNING {table}.{id}, {key}::text, {headers}::text, {payload}::text, next_retry_at::text, due.paused::bigint, {age}
                        """
                                .replace(
                                        "{age}",
                                        columns.containsKey(CREATED) ? AGE : "-1::bigint"));
        List<Claimed> events = new ArrayList<>();
        String mark = "";
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setLong(1, lease.toMillis());
            update.setInt(2, total);
            update.setArray(3, connection.createArrayOf("int4", inherited.toArray()));
            update.setInt(4, total);
            update.setArray(5, connection.createArrayOf("int4", parts.toArray()));
            update.setInt(6, limit);
            update.setLong(7, lease.toMillis());
            try (ResultSet row = update.executeQuery()) {
                while (row.next()) {
                    mark = row.getString(5);
                    events.add(
                            new Claimed(
                                    row.getLong(1),
                                    row.getString(2),
                                    HeadersJson.read(row.getString(3)),
                                    row.getString(4),
                                    Duration.ofMillis(row.getLong(6)),
                                    row.getLong(7)));
                }
            }
        }
        events.sort(Comparator.comparingLong(Claimed::id));
        return new Batch(events, mark);
    }

    /// @return how many are marked; somebody else may have claimed them meanwhile
    int published(Connection connection, Batch batch, Collection<Long> ids) throws SQLException {
        String sql =
                sql(
                        """
                        UPDATE {table} SET status = 'PUBLISHED', updated_at = now()
                        WHERE {id} = ANY (?) AND status = 'SENDING' AND next_retry_at::text = ?
                        """);
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setArray(1, connection.createArrayOf("int8", ids.toArray()));
            update.setString(2, batch.lease());
            return update.executeUpdate();
        }
    }

    /// All with one statement, or an outage of the broker would be followed by a storm of them. A cause that is longer than its column is cut: an explicit cast
    /// does that, and an assignment fails.
    void failed(Connection connection, Batch batch, Collection<Failed> events) throws SQLException {
        String sql =
                sql(
                        """
                        UPDATE {table} SET status = 'PENDING', updated_at = now(), next_retry_at = now() + f.pause * interval '1 millisecond' {cause} {attempts}
                        FROM unnest(?::bigint[], ?::bigint[], ?::text[]) AS f (id, pause, cause)
                        WHERE {table}.{id} = f.id AND status = 'SENDING' AND next_retry_at::text = ?
                        """
                                .replace(
                                        "{cause}",
                                        columns.containsKey(CAUSE)
                                                ? ", last_error = f.cause::" + columns.get(CAUSE)
                                                : "")
                                .replace(
                                        "{attempts}",
                                        columns.containsKey(ATTEMPTS)
                                                ? ", attempts = attempts + 1"
                                                : ""));
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            Object[] ids = events.stream().map(Failed::id).toArray();
            Object[] pauses = events.stream().map(event -> event.pause().toMillis()).toArray();
            Object[] causes = events.stream().map(Failed::cause).toArray();
            update.setArray(1, connection.createArrayOf("int8", ids));
            update.setArray(2, connection.createArrayOf("int8", pauses));
            update.setArray(3, connection.createArrayOf("text", causes));
            update.setString(4, batch.lease());
            update.executeUpdate();
        }
    }

    /// Those that the table has. A cause is noted only where there is a text for it.
    private Map<String, String> optionalColumns(Connection connection) throws SQLException {
        Map<String, String> found = new HashMap<>();
        try (PreparedStatement query =
                connection.prepareStatement(
                        """
                        SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute JOIN pg_type t ON t.oid = atttypid
                        WHERE attrelid = ?::regclass AND NOT attisdropped AND (attname IN (?, ?) OR (attname = ? AND t.typcategory = 'S'))
                        """)) {
            query.setString(1, table.name());
            query.setString(2, ATTEMPTS);
            query.setString(3, CREATED);
            query.setString(4, CAUSE);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    found.put(row.getString(1), row.getString(2));
                }
            }
        }
        return found;
    }

    private String sql(String template) {
        return template.replace("{table}", table.name())
                .replace("{id}", table.id())
                .replace("{key}", table.key())
                .replace("{headers}", table.headers())
                .replace("{payload}", table.payload());
    }

    /// What the table does not have the record does not have.
    static byte @Nullable [] utf8(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }
}
