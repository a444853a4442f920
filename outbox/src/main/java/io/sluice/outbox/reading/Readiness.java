package io.sluice.outbox.reading;

import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/// What must hold before events are read by snapshots: otherwise some would be exchanged, or silently skipped.
///
/// Immutable; used inside the transaction of the connection it is given.
public final class Readiness {
    private final OutboxTable table;

    public Readiness(OutboxTable table) {
        this.table = table;
    }

    /// @return why events must not be read now, for people; empty if they may
    public Optional<String> obstacle(Connection connection) throws SQLException {
        if (number(connection, "SELECT count(*) FROM outbox_lane WHERE outbox = '%s'") == 0) {
            return Optional.of(
                    "no lanes are set up for table %s; run OutboxSchema.install or its scripts"
                            .formatted(table.name()));
        }
        if (number(
                        connection,
                        "SELECT count(*) FROM outbox_lane WHERE outbox = '%s' AND pg_snapshot_xmax(seen) > pg_snapshot_xmax(pg_current_snapshot())")
                > 0) {
            return Optional.of(
                    "the database is older than what has been read from it: it was restored, or a standby that lagged behind was promoted. New events would be taken for published ones. Find out which events are missing in the topic, then set the lanes of table %s back: UPDATE outbox_lane SET seen = pg_current_snapshot(), bound = NULL, position = 0 WHERE outbox = '%1$s'"
                            .formatted(table.name()));
        }
        if (number(
                        connection,
                        """
                        SELECT count(*) FROM (SELECT FROM outbox_lane l CROSS JOIN LATERAL (
                          SELECT FROM {table} e WHERE outbox_lane_of(e.{key}::text) = l.lane AND e.tx >= pg_snapshot_xmax(pg_current_snapshot()) LIMIT 1) f
                        WHERE l.outbox = '{table}' LIMIT 1) future
                        """
                                .replace("{table}", table.name())
                                .replace("{key}", table.key()))
                > 0) {
            return Optional.of(
                    "table %s has events of transactions that this database has not had yet: they were copied from another one. They would be published again and again. Give those that are published an old transaction, UPDATE %1$s SET tx = '3' WHERE …, and the others the current one, SET tx = pg_current_xact_id()"
                            .formatted(table.name()));
        }
        Optional<String> leftOver = leftOver(connection);
        return leftOver.isPresent()
                ? leftOver
                : new DatabaseHistory(table.name()).adopt(connection);
    }

    /// Events that are compat mode's: written before the lanes began, and not published. Whatever log mode publishes now would overtake them. Asked
    /// whenever lanes are taken, since the mode may have changed there and back meanwhile.
    ///
    /// @return why no lane must be taken now, for people; empty if they may
    public Optional<String> leftOver(Connection connection) throws SQLException {
        boolean hasStatus =
                number(
                                connection,
                                "SELECT count(*) FROM pg_attribute WHERE attrelid = '%s'::regclass AND attname = 'status' AND NOT attisdropped")
                        > 0;
        if (hasStatus
                && number(
                                connection,
                                """
                                SELECT count(*) FROM (SELECT FROM {table} e JOIN outbox_lane l ON l.outbox = '{table}' AND l.lane = outbox_lane_of(e.{key}::text)
                                  WHERE e.status IN ('PENDING', 'SENDING') AND (e.ord IS NULL OR pg_visible_in_snapshot(e.tx, l.seen)) LIMIT 1) left_over
                                """
                                        .replace("{table}", table.name())
                                        .replace("{key}", table.key()))
                        > 0) {
            return Optional.of(
                    "table %s has unpublished events from before log mode; later events of the same aggregates have to wait for them. Let a relay in compat mode publish them"
                            .formatted(table.name()));
        }
        return Optional.empty();
    }

    private long number(Connection connection, String sql) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql.formatted(table.name()));
                ResultSet row = query.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }
}
