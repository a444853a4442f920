package io.sluice.outbox;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// A schema of its own in a real PostgreSQL, with the outbox installed. One server serves all tests of a JVM.
public record Database(String url) implements ConnectionSource {
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    @Override
    public Connection open() throws SQLException {
        return DriverManager.getConnection(url);
    }

    void run(String sql) {
        try (Connection connection = open();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /// The first column.
    List<String> column(String sql) {
        try (Connection connection = open();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> column = new ArrayList<>();
            while (row.next()) {
                column.add(row.getString(1));
            }
            return column;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    long number(String sql) {
        return Long.parseLong(column(sql).getFirst());
    }

    /// Writes events in a transaction of their own.
    void append(OutboxEvent... events) {
        try (Connection connection = open()) {
            connection.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS).append(connection, List.of(events));
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// A parameter of type [Database] is a fresh schema.
    static final class Extension implements ParameterResolver {
        private record Server(EmbeddedPostgres postgres) implements AutoCloseable {
            @Override
            public void close() throws IOException {
                postgres.close();
            }
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType().equals(Database.class);
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            EmbeddedPostgres postgres =
                    context.getRoot()
                            .getStore(ExtensionContext.Namespace.create(Database.class))
                            .computeIfAbsent(Server.class, _ -> new Server(start()), Server.class)
                            .postgres();
            return schema(postgres);
        }

        private static Database schema(EmbeddedPostgres postgres) {
            String name = "test_" + SCHEMAS.incrementAndGet();
            String url = postgres.getJdbcUrl("postgres", "postgres");
            new Database(url).run("CREATE SCHEMA " + name);
            Database database = new Database(url + "&currentSchema=" + name);
            try (Connection connection = database.open()) {
                OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return database;
        }

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder()
                        .setServerConfig("max_connections", "200")
                        .setServerConfig("wal_level", "logical")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
