package io.sluice.outbox;

import io.sluice.outbox.reading.HeadersJson;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/// Writes events into the outbox table, in the caller's transaction: an event is published exactly if that transaction commits.
///
/// ```java
/// connection.setAutoCommit(false);
/// accounts.withdraw(connection, from, amount);          // locks the aggregate's row first,
/// outbox.append(connection, OutboxEvent.of(from, "TransferRequested", json)); // so events are in the order of these locks
/// connection.commit();
/// ```
/// Order per aggregate is the order of [#append] for writers that wait for each other, normally by locking the aggregate's row
/// **before** they append. An ORM that flushes late inserts the event before it takes that lock, and then nothing orders the
/// two writers: flush first, or use [#lockingAggregates].
///
/// Immutable, but for what it has learnt about its table; thread-safe.
public final class Outbox {
    private final OutboxTable table;
    private final TextColumns columns;
    private final boolean locksAggregates;

    private Outbox(OutboxTable table, boolean locksAggregates) {
        this.table = table;
        this.columns = new TextColumns(table);
        this.locksAggregates = locksAggregates;
    }

    public static Outbox in(OutboxTable table) {
        return new Outbox(table, false);
    }

    /// For writers that share no row to lock: each append first takes a lock on the aggregate's id, held until the transaction ends.
    public Outbox lockingAggregates() {
        return new Outbox(table, true);
    }

    public void append(Connection connection, OutboxEvent event) throws SQLException {
        append(connection, List.of(event));
    }

    /// Several events with one round trip, in this order.
    public void append(Connection connection, List<OutboxEvent> events) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "append needs a transaction: the connection is in auto-commit mode, so the event would be published even if the business change fails; call setAutoCommit(false) first");
        }
        if (locksAggregates) {
            lock(connection, events);
        }
        columns.ask(connection);
        String sql =
                "INSERT INTO %s (%s, %s, %s) VALUES (?, ?, ?)"
                        .formatted(table.name(), table.key(), table.payload(), table.headers());
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            for (OutboxEvent event : events) {
                columns.set(insert, 1, table.key(), event.aggregateId());
                columns.set(insert, 2, table.payload(), event.payload());
                columns.set(insert, 3, table.headers(), HeadersJson.write(event.headers()));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /// In the order of the ids, so that two writers of the same aggregates cannot block each other for ever.
    private void lock(Connection connection, List<OutboxEvent> events) throws SQLException {
        List<String> aggregates =
                events.stream().map(OutboxEvent::aggregateId).distinct().sorted().toList();
        try (PreparedStatement lock =
                connection.prepareStatement(
                        "SELECT pg_advisory_xact_lock(hashtextextended(?, '%s'::regclass::oid::bigint))"
                                .formatted(table.name()))) {
            for (String aggregate : aggregates) {
                lock.setString(1, aggregate);
                lock.execute();
            }
        }
    }
}
