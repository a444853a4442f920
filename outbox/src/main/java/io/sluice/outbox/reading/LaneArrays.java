package io.sluice.outbox.reading;

import io.sluice.outbox.lanes.Lane;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// Lanes as arrays, one per column, the way they travel to the database.
///
/// Immutable.
final class LaneArrays {
    /// To be joined with: numbers, epochs, seen, bound, position, sequence, unsaved, and behind which `ord` events are asked for.
    static final String UNNESTED =
            """
            unnest(?::int[], ?::bigint[], ?::text[]::pg_snapshot[], ?::text[]::pg_snapshot[], ?::bigint[], ?::bigint[], ?::boolean[], ?::bigint[])
                AS l (lane, epoch, seen, bound, position, sequence, unsaved, behind)""";

    private final Connection connection;
    private final Collection<Lane> lanes;
    private final ToLongFunction<Lane> behind;

    LaneArrays(Connection connection, Collection<Lane> lanes, ToLongFunction<Lane> behind) {
        this.connection = connection;
        this.lanes = lanes;
        this.behind = behind;
    }

    /// @return the next parameter
    int bind(java.sql.PreparedStatement statement) throws SQLException {
        statement.setArray(1, array("int4", Lane::number));
        statement.setArray(2, array("int8", Lane::epoch));
        statement.setArray(3, array("text", lane -> lane.cursor().seen()));
        statement.setArray(4, array("text", lane -> lane.cursor().bound()));
        statement.setArray(5, array("int8", lane -> lane.cursor().position()));
        statement.setArray(6, array("int8", lane -> lane.cursor().sequence()));
        statement.setArray(7, array("bool", Lane::isUnsaved));
        statement.setArray(8, array("int8", behind::applyAsLong));
        return 9;
    }

    private Array array(String type, Function<Lane, @Nullable Object> value) throws SQLException {
        return connection.createArrayOf(type, lanes.stream().map(value).toArray());
    }

    /// The same as literals, for statements that take no parameters. What stands in them was written by the database.
    static String literal(Collection<Lane> lanes) {
        StringBuilder rows = new StringBuilder();
        for (Lane lane : lanes) {
            String bound = lane.cursor().bound();
            rows.append(rows.isEmpty() ? "" : ", ")
                    .append(
                            "(%d, '%s'::pg_snapshot, %s::pg_snapshot, %d::bigint)"
                                    .formatted(
                                            lane.number(),
                                            checked(lane.cursor().seen()),
                                            bound == null ? "NULL" : "'" + checked(bound) + "'",
                                            lane.cursor().position()));
        }
        return "(VALUES " + rows + ") AS l (lane, seen, bound, behind)";
    }

    private static String checked(String snapshot) {
        if (!snapshot.matches("[0-9:,]+")) {
            throw new IllegalArgumentException("no snapshot: " + snapshot);
        }
        return snapshot;
    }
}
