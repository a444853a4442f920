package io.sluice.outbox;

import io.sluice.fixtures.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// A schema of its own in a real PostgreSQL, with the outbox installed.
public record Database(String url) implements ConnectionSource {
    @Override
    public Connection open() throws SQLException {
        return postgres().open();
    }

    private Postgres postgres() {
        return new Postgres(url);
    }

    void run(String sql) {
        postgres().run(sql);
    }

    /// The first column.
    List<String> column(String sql) {
        return postgres().column(sql);
    }

    long number(String sql) {
        return postgres().number(sql);
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

    Database install() {
        try (Connection connection = open()) {
            OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return this;
    }

    /// A parameter of type [Database] is a fresh schema.
    public static final class Extension implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType().equals(Database.class);
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return new Database(Postgres.schema(context).url()).install();
        }
    }
}
