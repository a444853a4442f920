package io.sluice.cli;

import io.sluice.outbox.OutboxSchema;
import io.sluice.outbox.OutboxTable;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// A parameter of type [DatabaseAddress] is a fresh schema with an outbox, in a real PostgreSQL that serves all tests.
public final class DatabaseUnderTest implements ParameterResolver {
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    /// Where it is, as a JDBC URL.
    public record DatabaseAddress(String url) {
        public void run(String sql) {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(sql, e);
            }
        }
    }

    private record Server(EmbeddedPostgres postgres) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            postgres.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType().equals(DatabaseAddress.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        EmbeddedPostgres postgres =
                context.getRoot()
                        .getStore(ExtensionContext.Namespace.create(DatabaseUnderTest.class))
                        .computeIfAbsent(Server.class, _ -> new Server(start()), Server.class)
                        .postgres();
        String schema = "test_" + SCHEMAS.incrementAndGet();
        String url = postgres.getJdbcUrl("postgres", "postgres");
        new DatabaseAddress(url).run("CREATE SCHEMA " + schema);
        var address = new DatabaseAddress(url + "&currentSchema=" + schema);
        try (Connection connection = DriverManager.getConnection(address.url())) {
            OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return address;
    }

    private static EmbeddedPostgres start() {
        try {
            return EmbeddedPostgres.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
