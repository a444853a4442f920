package io.sluice.outbox;

import io.sluice.outbox.partitions.EventPartitions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/// The outbox's tables in the database: plain SQL scripts that ship with the library and can be run again and again.
///
/// The same files are a Flyway location, [#FLYWAY_LOCATION].
public final class OutboxSchema {
    public static final String FLYWAY_LOCATION = "classpath:io/sluice/outbox/migration";

    /// In order.
    public static final List<String> SCRIPTS =
            List.of(
                    "V1__transfer_events.sql",
                    "V2__log_mode.sql",
                    "V3__doorbell.sql",
                    "V4__source.sql",
                    "V5__partitions.sql");

    private OutboxSchema() {}

    /// Runs all scripts for this table, into the first schema of the connection's search path, as one transaction.
    public static void install(Connection connection, OutboxTable table) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            for (String script : SCRIPTS) {
                statement.execute(script(script, table));
            }
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(autoCommit);
        }
    }

    /// A new event table in partitions, ranges of `ord`, which the relays make ahead and drop when all of their events are published and
    /// the retention is over. Nothing is ever deleted row by row. PostgreSQL 14 or newer.
    public static void installPartitioned(
            Connection connection, OutboxTable table, long eventsPerPartition) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(script("partitioned.sql", table));
        }
        install(connection, table);
        EventPartitions partitions = new EventPartitions(table);
        if (!partitions.isPartitioned(connection)) {
            partitions.begin(connection, eventsPerPartition);
        }
    }

    /// A script's text, for this table.
    public static String script(String name, OutboxTable table) {
        try (InputStream in = OutboxSchema.class.getResourceAsStream("migration/" + name)) {
            if (in == null) {
                throw new IllegalArgumentException("no script " + name + "; there are " + SCRIPTS);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace(OutboxTable.TRANSFER_EVENTS.name(), table.name())
                    .replace(OutboxTable.TRANSFER_EVENTS.key(), table.key());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
