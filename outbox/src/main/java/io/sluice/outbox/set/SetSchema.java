package io.sluice.outbox.set;

import io.sluice.outbox.OutboxSchema;
import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/// Set mode's tables: a plain SQL script that can be run again and again.
public final class SetSchema {
    private SetSchema() {}

    public static void install(Connection connection, OutboxTable table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : OutboxSchema.statements(OutboxSchema.script("set.sql", table))) {
                statement.execute(sql);
            }
        }
    }
}
