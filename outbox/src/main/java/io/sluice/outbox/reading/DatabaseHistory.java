package io.sluice.outbox.reading;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Notices that the database has another history than the one in which its cursors were written: a standby was promoted, a backup
/// restored.
///
/// Cursors and events come from the same moment then, so no event is skipped. But the former database may have published events, and given
/// them numbers, that this one knows nothing about; new events with the same numbers would be taken for repetitions by consumers.
/// So the numbers of all lanes jump, far beyond what can have been given, and what was published between that moment and the
/// failure is published again with new numbers.
///
/// Immutable; used on a connection in auto-commit mode, before lanes are looked at.
public final class DatabaseHistory {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseHistory.class);

    /// More events than a lane can have published and lost.
    static final long JUMP = 1_000_000_000;

    /// The timeline stands in the name of the current WAL file. The control file has it too, but only after a checkpoint.
    private static final String NOW =
            """
            SELECT pg_is_in_recovery(), (SELECT system_identifier FROM pg_control_system()),
              CASE WHEN NOT pg_is_in_recovery() THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END
            """;

    private static final String ADOPT =
            """
            WITH source AS (SELECT * FROM outbox_source WHERE outbox = ? FOR UPDATE),
            changed AS (
              UPDATE outbox_source s SET system_id = ?, timeline = ? FROM source
              WHERE s.outbox = source.outbox AND (source.system_id, source.timeline) IS DISTINCT FROM (?, ?)
              RETURNING source.system_id IS NOT NULL AS moved),
            jumped AS (
              UPDATE outbox_lane SET sequence = sequence + ?, epoch = epoch + 1, owner = NULL
              WHERE outbox = ? AND EXISTS (SELECT FROM changed WHERE moved) RETURNING 1)
            SELECT count(*) FROM jumped
            """;

    private final String outbox;

    public DatabaseHistory(String outbox) {
        this.outbox = outbox;
    }

    /// @return why this database must not be read; empty if it may, and is known from now on
    public Optional<String> adopt(Connection connection) throws SQLException {
        long system;
        int timeline;
        try (PreparedStatement query = connection.prepareStatement(NOW);
                ResultSet row = query.executeQuery()) {
            row.next();
            if (row.getBoolean(1)) {
                return Optional.of(
                        "this database is a standby; a relay has to read from the primary");
            }
            system = row.getLong(2);
            timeline = row.getInt(3);
        }
        try (PreparedStatement update = connection.prepareStatement(ADOPT)) {
            update.setString(1, outbox);
            update.setLong(2, system);
            update.setInt(3, timeline);
            update.setLong(4, system);
            update.setInt(5, timeline);
            update.setLong(6, JUMP);
            update.setString(7, outbox);
            try (ResultSet row = update.executeQuery()) {
                row.next();
                if (row.getInt(1) > 0) {
                    LOG.warn(
                            "The database has another history than before (a promoted standby, a restored backup: timeline {}). Numbers of {} lanes jump by {}; what was published shortly before may be published again",
                            timeline,
                            row.getInt(1),
                            JUMP);
                }
            }
        }
        return Optional.empty();
    }
}
