package io.sluice.outbox.bench.stage;

import io.sluice.outbox.OutboxSchema;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.bench.host.RelayHost;
import io.sluice.outbox.operating.Migration;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/// A contender's table and topic.
///
/// Immutable; every call opens a connection of its own.
public record Scene(Stage stage, Contender contender, String schema, String topic) {
    /// Where the relay's own records carry their lane.
    private static final String PAYLOAD = "lpad(i::text, 12, '0') || '|' || repeat('x', 287)";

    private static final int KEYS = 1_000;

    String url() {
        return stage.url() + "&currentSchema=" + schema;
    }

    public Connection open() throws SQLException {
        return DriverManager.getConnection(url());
    }

    Scene install() {
        try (Connection connection = DriverManager.getConnection(stage.url());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA " + schema);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        try (Connection connection = open();
                Statement statement = connection.createStatement()) {
            if (contender.hasLanes()) {
                OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
            } else {
                // Only what the document has.
                statement.execute(
                        OutboxSchema.script(
                                OutboxSchema.SCRIPTS.getFirst(), OutboxTable.TRANSFER_EVENTS));
            }
            if (contender == Contender.WAL) {
                new Migration(this::open, OutboxTable.TRANSFER_EVENTS).toWal();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return this;
    }

    /// Starts the contender's process and waits until it can publish.
    public HostProcess host(int instances, long delayMillis) {
        HostProcess host =
                stage.started(contender.isDebezium() ? debezium() : relays(instances, delayMillis));
        host.awaitReady();
        if (contender.isDebezium()) {
            awaitSlot();
        }
        return host;
    }

    private HostProcess relays(int instances, long delayMillis) {
        return HostProcess.ours(
                RelayHost.class,
                List.of(
                        contender.design(),
                        Integer.toString(instances),
                        url(),
                        stage.bootstrap(),
                        topic,
                        Long.toString(delayMillis)));
    }

    private HostProcess debezium() {
        Path libraries = stage.checkout().resolve("benchmarks/outbox/target/peers/debezium/lib");
        return HostProcess.foreign(
                libraries,
                "io.sluice.peers.debezium.DebeziumHost",
                List.of(
                        "localhost",
                        Integer.toString(stage.port()),
                        schema,
                        stage.bootstrap(),
                        topic,
                        Integer.toString(contender.pollMillis()),
                        stage.folder().resolve(schema + ".offsets").toString()));
    }

    private void awaitSlot() {
        while (number(
                        "SELECT count(*) FROM pg_replication_slots WHERE active AND slot_name = 'debezium_"
                                + schema
                                + "'")
                == 0) {
            pause(20);
        }
        pause(500);
    }

    /// Commits events with these numbers, so many per transaction.
    ///
    /// @return when the last transaction had committed
    public long insert(long from, long count, long perTransaction) {
        try (Connection connection = open();
                Statement statement = connection.createStatement()) {
            for (long at = from; at < from + count; at += perTransaction) {
                long end = Math.min(at + perTransaction, from + count) - 1;
                statement.execute(
                        "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'account-' || i %% %d, %s FROM generate_series(%d, %d) i"
                                .formatted(KEYS, PAYLOAD, at, end));
            }
            return System.nanoTime();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Writes so many rows and takes them back: they are dead, and nobody cleans them up.
    public void bloat(long rows) {
        try (Connection connection = open();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER TABLE transfer_events SET (autovacuum_enabled = false)");
            connection.setAutoCommit(false);
            statement.execute(
                    "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'account-' || i %% %d, %s FROM generate_series(1, %d) i"
                            .formatted(KEYS, PAYLOAD, rows));
            connection.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public long number(String sql) {
        try (Connection connection = open();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /// A slot that nobody reads any more would keep the database's log.
    public void clear() {
        try (Connection connection = open();
                Statement statement = connection.createStatement()) {
            statement.execute("SET lock_timeout = '20s'");
            statement.execute(
                    "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active AND (slot_name = 'debezium_%s' OR slot_name LIKE '%%\\_' || 'transfer_events'::regclass::oid)"
                            .formatted(schema));
            statement.execute("DROP SCHEMA " + schema + " CASCADE");
            statement.execute("CHECKPOINT");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
