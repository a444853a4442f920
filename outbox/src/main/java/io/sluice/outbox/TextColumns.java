package io.sluice.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// How the columns of an event table take a text.
///
/// PostgreSQL makes no `json`, `jsonb` or `uuid` of a text by itself, only of a parameter that does not say what it is. For `bytea` that would be wrong: a
/// backslash means something else there. It refuses a text, as before.
///
/// Thread-safe: the database is asked once, and by a second thread, perhaps, that hears the same.
final class TextColumns {
    private final OutboxTable table;
    private volatile @Nullable Set<String> untyped; // Null until asked.

    TextColumns(OutboxTable table) {
        this.table = table;
    }

    void ask(Connection connection) throws SQLException {
        if (untyped == null) {
            boolean isPostgres =
                    "PostgreSQL".equals(connection.getMetaData().getDatabaseProductName());
            untyped = isPostgres ? find(connection) : Set.of();
        }
    }

    void set(PreparedStatement insert, int index, String column, String text) throws SQLException {
        Set<String> known = untyped;
        if (known != null && known.contains(column)) {
            insert.setObject(index, text, Types.OTHER);
        } else {
            insert.setString(index, text);
        }
    }

    /// @return null if there is no such table yet
    private @Nullable Set<String> find(Connection connection) throws SQLException {
        Set<String> found = new HashSet<>();
        boolean isThere = false;
        try (PreparedStatement query =
                connection.prepareStatement(
                        """
                        SELECT attname, t.typcategory <> 'S' AND 'bytea'::regtype NOT IN (t.oid, t.typbasetype)
                        FROM pg_attribute JOIN pg_type t ON t.oid = atttypid WHERE attrelid = to_regclass(?) AND attname IN (?, ?, ?)
                        """)) {
            query.setString(1, table.name());
            query.setString(2, table.key());
            query.setString(3, table.payload());
            query.setString(4, table.headers());
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    isThere = true;
                    if (row.getBoolean(2)) {
                        found.add(row.getString(1));
                    }
                }
            }
        }
        return isThere ? found : null;
    }
}
