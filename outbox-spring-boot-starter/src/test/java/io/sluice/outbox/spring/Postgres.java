package io.sluice.outbox.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// A parameter of type [Postgres] is an empty schema in a real PostgreSQL that serves all tests.
record Postgres(String url) {
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    void run(String sql) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    String ask(String sql) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return String.valueOf(row.getString(1));
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    static final class Extension implements ParameterResolver {
        private record Server(EmbeddedPostgres postgres) implements AutoCloseable {
            @Override
            public void close() throws IOException {
                postgres.close();
            }
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType().equals(Postgres.class);
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            EmbeddedPostgres postgres =
                    context.getRoot()
                            .getStore(ExtensionContext.Namespace.create(Postgres.class))
                            .computeIfAbsent(Server.class, _ -> new Server(start()), Server.class)
                            .postgres();
            String schema = "test_" + SCHEMAS.incrementAndGet();
            String url = postgres.getJdbcUrl("postgres", "postgres");
            new Postgres(url).run("CREATE SCHEMA " + schema);
            return new Postgres(url + "&currentSchema=" + schema);
        }

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
