package io.sluice.cli;

import io.sluice.fixtures.Postgres;
import io.sluice.outbox.OutboxSchema;
import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// A parameter of type [Postgres] is a fresh schema with an outbox.
public final class DatabaseUnderTest implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType().equals(Postgres.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Postgres schema = Postgres.schema(context);
        try (Connection connection = schema.open()) {
            OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return schema;
    }
}
