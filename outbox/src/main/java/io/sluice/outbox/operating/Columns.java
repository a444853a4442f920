package io.sluice.outbox.operating;

import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/// What an event table has beyond the columns that every one has.
///
/// Immutable.
///
/// @param hasLogMode with the tables beside it: `prepare.sql` alone makes none
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
                types.containsKey("ord") && hasLanes(connection),
                "bytea".equals(types.get(table.payload())));
    }

    private static boolean hasLanes(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT num_nulls(to_regclass('outbox_lane'), to_regclass('outbox_parked')) = 0")) {
            return row.next() && row.getBoolean(1);
        }
    }
}
