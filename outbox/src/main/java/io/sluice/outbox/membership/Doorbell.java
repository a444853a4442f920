package io.sluice.outbox.membership;

import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/// Lets a relay sleep until a writer rings: see `V3__doorbell.sql`.
///
/// ```
///                   attend: lock taken                         leave: lock given back, others told
///  AWAY ──────────────────────────────▶ KEEPING ─────────────────────────────────────────────────▶ AWAY
///    └──attend: somebody keeps it──▶ KEPT BY ANOTHER ──woken for any reason──▶ AWAY
/// ```
/// Writers share a lock until they commit, and ring only if they cannot have it. Whoever holds it alone knows that every writer who
/// kept silent has finished, and that every later one will ring; all relays hear the ring. So [#attend] looks at the table once
/// more, and then one may sleep.
///
/// Owned by the publishing thread; the lock belongs to the session of its connection.
public final class Doorbell {
    private enum State {
        AWAY,
        KEEPING,
        KEPT_BY_ANOTHER
    }

    private static final String BELL = Members.CLASS;

    private static final String ATTEND =
            """
            SELECT pg_try_advisory_lock(%s, 0), EXISTS (
              SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid::int = %s AND objid = 0 AND objsubid = 2
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND mode = 'ExclusiveLock' AND granted)
            """
                    .formatted(BELL, BELL);

    private State state = State.AWAY;
    private boolean installed;

    /// A new session holds no lock.
    public void connected(Connection connection, OutboxTable table) throws SQLException {
        state = State.AWAY;
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = ?::regclass AND tgname = 'outbox_ring' AND tgenabled <> 'D')")) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                installed = row.getBoolean(1);
            }
        }
    }

    /// Without the trigger nobody rings.
    public boolean isInstalled() {
        return installed;
    }

    public boolean isAttended() {
        return state != State.AWAY;
    }

    /// Fills in the parameters of the question whether anything is due.
    public interface Lanes {
        void bind(PreparedStatement statement) throws SQLException;
    }

    /// Takes the lock or sees who has it, and then, with a look of its own, whether anything is due: one way to the database and back.
    ///
    /// @param dueSql a question with one boolean answer, asked after the lock
    /// @return whether there is something to do
    public boolean attend(Connection connection, String dueSql, Lanes lanes) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(ATTEND + ";" + dueSql)) {
            lanes.bind(query);
            query.execute();
            try (ResultSet row = query.getResultSet()) {
                row.next();
                if (row.getBoolean(1)) {
                    state = State.KEEPING;
                } else {
                    state = row.getBoolean(2) ? State.KEPT_BY_ANOTHER : State.AWAY;
                }
            }
            query.getMoreResults();
            try (ResultSet row = query.getResultSet()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    /// Every writer rings, so there is nothing to ask before the next sleep.
    public boolean isKept() {
        return state == State.KEEPING;
    }

    /// Whoever relied on another's lock has to look again whether it is still there.
    public void woken() {
        if (state == State.KEPT_BY_ANOTHER) {
            state = State.AWAY;
        }
    }

    /// There is work: from now on writers need not ring for us. Those who slept because we kept the bell are told.
    public void leave(Connection connection) throws SQLException {
        if (state == State.KEEPING) {
            try (PreparedStatement query =
                    connection.prepareStatement(
                            "SELECT pg_advisory_unlock(%s, 0), pg_notify('outbox_' || %s, 'bell')"
                                    .formatted(BELL, BELL))) {
                query.execute();
            }
        }
        state = State.AWAY;
    }
}
