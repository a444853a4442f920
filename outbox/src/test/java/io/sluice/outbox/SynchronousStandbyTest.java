package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.Postgres;
import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.operating.ModeState;
import io.sluice.testing.SteadyPorts;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Commits wait for a standby that is not there: they are written to the log, and nobody sees them yet.
@ExtendWith(Broker.Extension.class)
@Timeout(240)
class SynchronousStandbyTest {
    private static final String DECIDED =
            "SELECT count(*) FROM outbox_source WHERE wal_lsn IS NOT NULL OR fallback LIKE 'transaction %'";

    /// The database makes a slot in two steps, and before each waits for what is open at its beginning. So what begins in the second step may be written to the
    /// log in front of the slot, and still wait for its standby when the slot is there.
    @Test
    void whatWaitsForItsStandbyWhenTheSlotIsMadeIsPublishedOnce(Broker broker, @TempDir Path folder)
            throws Exception {
        String topic = broker.topic();
        try (Postgres.Server server = withoutItsStandby(folder.resolve("data"))) {
            Database database = new Database(server.url()).install();
            Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
            migration.toWal();
            try (Open first = Open.begin(database);
                    Relay _ = Relay.start(database, Slots.settings(database, broker, topic));
                    TopicReader reader = new TopicReader(broker, topic)) {
                reader.awaitUntil(() -> first.isAwaited(database), "the first step");
                Committing waiting;
                try (Open second = Open.begin(database)) {
                    first.end();
                    reader.awaitUntil(() -> second.isAwaited(database), "the second step");
                    waiting = Committing.event(database, OutboxEvent.of("a", "t", "1"));
                    reader.awaitUntil(() -> waiting.isAwaitingStandby(database), "its COMMIT");
                }
                reader.awaitUntil(() -> database.number(DECIDED) == 1, "the slot to be made");
                ModeState meanwhile = migration.state();
                database.append(OutboxEvent.of("b", "t", "1"));
                reader.await(1);
                assertThat(reader.byKey()).containsOnlyKeys("b");

                waiting.cancel(database);
                reader.await(2)
                        .awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
                database.append(OutboxEvent.of("a", "t", "2"));
                reader.await(3).linger(Duration.ofMillis(300));
                assertThat(reader.byKey().get("a")).containsExactly("1", "2");
                assertThat(reader.byKey().get("b")).containsExactly("1");
                assertThat(reader.repeated()).isZero();
                assertThat(meanwhile.streaming()).isFalse();
                assertThat(meanwhile.fallback())
                        .contains("transaction " + waiting.number() + " was open");
                assertThat(migration.state().fallback()).isNull();
            }
        }
    }

    /// What says nothing else does not wait for it; otherwise nobody here could commit.
    private static Postgres.Server withoutItsStandby(Path data) {
        try (Postgres.Server server = Postgres.Server.on(data, SteadyPorts.next())) {
            Postgres postgres = new Postgres(server.url());
            postgres.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
            postgres.run("ALTER ROLE postgres SET synchronous_commit = local");
        }
        return Postgres.Server.on(data, SteadyPorts.next());
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /// A transaction that has a number and writes nothing.
    private record Open(Connection connection, String number) implements AutoCloseable {
        static Open begin(Database database) throws SQLException {
            Connection connection = database.open();
            connection.setAutoCommit(false);
            return new Open(connection, ask(connection, "SELECT pg_current_xact_id()"));
        }

        boolean isAwaited(Database database) {
            return database.number(
                            "SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted AND transactionid = '%s'"
                                    .formatted(number))
                    > 0;
        }

        void end() throws SQLException {
            connection.rollback();
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    /// A transaction whose COMMIT waits for a standby.
    private record Committing(String number, String session, CompletableFuture<Void> committed) {
        static Committing event(Database database, OutboxEvent event) throws SQLException {
            Connection connection = database.open();
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET LOCAL synchronous_commit = on");
            }
            Outbox.in(OutboxTable.TRANSFER_EVENTS).append(connection, List.of(event));
            return new Committing(
                    ask(connection, "SELECT pg_current_xact_id()"),
                    ask(connection, "SELECT pg_backend_pid()"),
                    CompletableFuture.runAsync(
                            () -> commit(connection),
                            work -> Thread.ofPlatform().daemon().start(work)));
        }

        private static void commit(Connection connection) {
            try (connection) {
                connection.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        boolean isAwaitingStandby(Database database) {
            return database.number(
                            "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND wait_event = 'SyncRep'"
                                    .formatted(session))
                    > 0;
        }

        /// It is committed here, the database says then, and perhaps not there.
        void cancel(Database database) throws Exception {
            database.run("SELECT pg_cancel_backend(%s)".formatted(session));
            committed.get(1, TimeUnit.MINUTES);
        }
    }
}
