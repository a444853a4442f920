package io.sluice.outbox;

import io.sluice.outbox.partitions.EventPartitions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The outbox's tables in the database: plain SQL scripts that ship with the library and can be run again and again, in every mode.
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
                    "V5__partitions.sql",
                    "V6__destinations.sql",
                    "V7__parked_key.sql");

    private static final String PREPARE = "prepare.sql";
    private static final Pattern BODY = Pattern.compile("\\$\\$");

    private OutboxSchema() {}

    /// Runs all scripts for this table, into the first schema of the connection's search path, as one transaction. What is as it should be is
    /// left alone, without a lock on the event table.
    public static void install(Connection connection, OutboxTable table) throws SQLException {
        alone(connection, statement -> scripts(statement, table));
    }

    private static void scripts(Statement statement, OutboxTable table) throws SQLException {
        for (String script : SCRIPTS) {
            statement.execute(script(script, table));
        }
    }

    /// Something that is done as one transaction.
    private interface Work {
        void run(Statement statement) throws SQLException;
    }

    /// Two services that start at once would both find something missing, and one of them would fail.
    private static void alone(Connection connection, Work work) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "SELECT pg_advisory_xact_lock(hashtextextended('outbox_schema.' || current_schema(), 0))");
            work.run(statement);
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(autoCommit);
        }
    }

    /// Before [#install], where the event table is there, large, and written to: builds the indices while writers go on. Who publishes what is
    /// not changed by it. On a connection in auto-commit mode.
    public static void prepare(Connection connection, OutboxTable table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements(script(PREPARE, table))) {
                statement.execute(sql);
            }
        }
    }

    /// A new event table in partitions, ranges of `ord`, which the relays make ahead and drop when all of their events are published and
    /// the retention is over. Nothing is ever deleted row by row. PostgreSQL 14 or newer.
    ///
    /// @param eventsPerPartition how many numbers each has. Three are made ahead and looked after every ten seconds: writers fail that use them up
    ///     in less, or while no relay runs
    /// @throws IllegalStateException if the table is there and has no partitions; nothing is changed then
    public static void installPartitioned(
            Connection connection, OutboxTable table, long eventsPerPartition) throws SQLException {
        EventPartitions partitions = new EventPartitions(table);
        alone(
                connection,
                statement -> {
                    statement.execute(script("partitioned.sql", table));
                    partitions.requirePartitioned(connection);
                    scripts(statement, table);
                    if (!partitions.isPartitioned(connection)) {
                        partitions.begin(connection, eventsPerPartition);
                    }
                });
    }

    /// A script's text, for this table.
    public static String script(String name, OutboxTable table) {
        try (InputStream in = OutboxSchema.class.getResourceAsStream("migration/" + name)) {
            if (in == null) {
                throw new IllegalArgumentException("no script " + name + "; there are " + SCRIPTS);
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            OutboxTable written = OutboxTable.TRANSFER_EVENTS;
            // Columns of the event table stand in quotes: tables of ours have columns of the same
            // names, which stay.
            text = renamed(text, written.id(), table.id());
            text = renamed(text, written.key(), table.key());
            text = renamed(text, written.payload(), table.payload());
            text = renamed(text, written.headers(), table.headers());
            return text.replace(written.name(), table.name());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String renamed(String text, String column, String to) {
        return text.replace('"' + column + '"', to).replace('`' + column + '`', to);
    }

    /// One by one, as a client does that commits each of them. A semicolon ends a statement at the end of a line, except in a body.
    public static List<String> statements(String script) {
        List<String> statements = new ArrayList<>();
        StringBuilder open = new StringBuilder();
        for (String part : script.split("(?<=;)\\s*\\n")) {
            open.append(part).append('\n');
            if (BODY.split(open, -1).length % 2 == 1) {
                statements.add(open.toString());
                open.setLength(0);
            }
        }
        return statements;
    }
}
