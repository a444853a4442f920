package io.sluice.outbox.operating;

import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/// What an event table has beyond the columns that every one has.
///
/// Immutable.
///
/// @param hasBinaryPayload payloads are bytes rather than text or JSON
record Columns(
        boolean hasCreatedAt,
        boolean hasStatus,
        boolean hasAttempts,
        boolean hasLastError,
        boolean hasLogMode,
        boolean hasBinaryPayload) {
    static Columns of(Connection connection, OutboxTable table) throws SQLException {
        Map<String, String> types = new HashMap<>();
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped")) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    types.put(row.getString(1), row.getString(2));
                }
            }
        }
        if (types.isEmpty()) {
            throw new SQLException(
                    "there is no table %s in the connection's search path; make it with OutboxSchema.install or its scripts"
                            .formatted(table.name()));
        }
        return new Columns(
                types.containsKey("created_at"),
                types.containsKey("status"),
                types.containsKey("attempts"),
                types.containsKey("last_error"),
                types.containsKey("ord"),
                "bytea".equals(types.get(table.payload())));
    }
}
