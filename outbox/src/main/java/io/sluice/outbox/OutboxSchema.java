package io.sluice.outbox;

import io.sluice.outbox.partitions.EventPartitions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    /// Parked events have columns of their own, whatever those of the event table are called.
    private static final Pattern PARKED =
            Pattern.compile("(?s)CREATE TABLE IF NOT EXISTS outbox_(set_)?parked \\(.*?\\n\\)");

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
            requirePartitions(statement, table);
        }
        install(connection, table);
        EventPartitions partitions = new EventPartitions(table);
        if (!partitions.isPartitioned(connection)) {
            partitions.begin(connection, eventsPerPartition);
        }
    }

    private static String named(String script, OutboxTable table) {
        StringBuilder text = new StringBuilder();
        Matcher parked = PARKED.matcher(script);
        int end = 0;
        while (parked.find()) {
            text.append(columnsNamed(script.substring(end, parked.start()), table));
            text.append(parked.group());
            end = parked.end();
        }
        return text.append(columnsNamed(script.substring(end), table))
                .toString()
                .replace(OutboxTable.TRANSFER_EVENTS.name(), table.name());
    }

    private static String columnsNamed(String script, OutboxTable table) {
        OutboxTable document = OutboxTable.TRANSFER_EVENTS;
        return script.replaceAll("\\b" + document.id() + "\\b", table.id())
                .replaceAll("\\b" + document.key() + "\\b", table.key())
                .replaceAll("\\b" + document.payload() + "\\b", table.payload())
                .replaceAll("\\b" + document.headers() + "\\b", table.headers());
    }

    private static void requirePartitions(Statement statement, OutboxTable table)
            throws SQLException {
        String sql =
                "SELECT FROM pg_partitioned_table WHERE partrelid = '%s'::regclass"
                        .formatted(table.name());
        try (ResultSet row = statement.executeQuery(sql)) {
            if (!row.next()) {
                throw new IllegalStateException(
                        "table %s is there already, without partitions: rename it, so that a new one can be made, or install without partitions"
                                .formatted(table.name()));
            }
        }
    }

    /// A script's text, for this table.
    public static String script(String name, OutboxTable table) {
        try (InputStream in = OutboxSchema.class.getResourceAsStream("migration/" + name)) {
            if (in == null) {
                throw new IllegalArgumentException("no script " + name + "; there are " + SCRIPTS);
            }
            return named(new String(in.readAllBytes(), StandardCharsets.UTF_8), table);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
