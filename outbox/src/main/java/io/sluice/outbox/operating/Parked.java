package io.sluice.outbox.operating;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

/// An event beside the table: refused, or waiting behind one that was. In compat mode it is in the table, and failed.
///
/// Immutable.
///
/// @param lane [#NO_LANE] in compat mode
/// @param ord in compat mode 0, if the table has none
/// @param state `FAILED`, `WAITING`, or `DEAD_LETTER` while it is on its way to another topic
/// @param attempts in compat mode 0, if the table does not count them
/// @param parkedAt in compat mode when it failed last
/// @param error why it was refused; empty for one that waits
public record Parked(
        int lane,
        String key,
        long ord,
        String eventId,
        String state,
        int attempts,
        Instant nextRetryAt,
        Instant parkedAt,
        int payloadBytes,
        String error) {
    public static final int NO_LANE = -1;

    /// @param row with these columns in this order
    static Parked of(ResultSet row) throws SQLException {
        return new Parked(
                row.getInt(1),
                row.getString(2),
                row.getLong(3),
                row.getString(4),
                row.getString(5),
                row.getInt(6),
                Operator.instant(row, 7),
                Operator.instant(row, 8),
                row.getInt(9),
                row.getString(10));
    }

    public boolean isOfCompat() {
        return lane == NO_LANE;
    }
}
