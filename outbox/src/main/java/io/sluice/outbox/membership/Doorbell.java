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
/// kept silent has finished, and that every later one will ring; all relays hear the ring. So look at the table once more
/// after [#attend], and then sleep.
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

    public void attend(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(ATTEND);
                ResultSet row = query.executeQuery()) {
            row.next();
            if (row.getBoolean(1)) {
                state = State.KEEPING;
            } else {
                state = row.getBoolean(2) ? State.KEPT_BY_ANOTHER : State.AWAY;
            }
        }
        connection.commit();
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
            connection.commit();
        }
        state = State.AWAY;
    }
}
