package io.sluice.outbox.compat;

import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Notices relays that are none of ours and claim events of the same table: one of the document's, most likely, that nobody has stopped.
///
/// It holds no lock that would tell. But it leaves `next_retry_at` where it was, and in what one of ours has claimed that is the end of a lease; and whoever
/// claims after this session has begun is there now. Seen only while it has something in hand, so it is looked for again and again.
///
/// Used by one thread, on one session at a time.
final class Strangers {
    private static final Logger LOG = LoggerFactory.getLogger(Strangers.class);
    private static final String CANCELLED = "57014";
    static final Duration LOOK = Duration.ofSeconds(10);
    private static final Duration SAID = Duration.ofMinutes(10);
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final int SELDOM = 100; // Without an index a look may take long.

    private final OutboxTable table;
    private final Duration lease;
    private final Duration look;
    private String begun = "";
    private long nextNanos;

    /// @param look how often at most
    Strangers(OutboxTable table, Duration lease, Duration look) {
        this.table = table;
        this.lease = lease;
        this.look = look;
        this.nextNanos = System.nanoTime() + look.toNanos();
    }

    void begin(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT clock_timestamp()::text")) {
            row.next();
            begun = row.getString(1);
        }
    }

    /// @return what was seen, and what to do, for people; empty if nothing was, or it is not time to look
    Optional<String> look(Connection connection) throws SQLException {
        long began = System.nanoTime();
        if (began - nextNanos < 0) {
            return Optional.empty();
        }
        String sql =
                "SELECT count(*), min(%s) FROM %s WHERE status = 'SENDING' AND next_retry_at <= updated_at AND updated_at > ?::timestamptz AND updated_at <= clock_timestamp()"
                        .formatted(table.id(), table.name());
        Optional<String> seen = Optional.empty();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setQueryTimeout((int) LONGEST.toSeconds());
            query.setString(1, begun);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                if (row.getLong(1) > 0) {
                    seen = Optional.of(words(row.getLong(1), row.getLong(2)));
                }
            }
        } catch (SQLException e) {
            if (!CANCELLED.equals(e.getSQLState())) {
                throw e;
            }
            LOG.debug("It would take too long to look for other relays", e);
        }
        long now = System.nanoTime();
        Duration pause = seen.isPresent() ? SAID : look;
        nextNanos = now + Math.max(pause.toNanos(), (now - began) * SELDOM);
        return seen;
    }

    private String words(long events, long first) {
        return "%d events (the first is %d) of table %s are SENDING, and no relay of this kind has claimed them, since next_retry_at is not after updated_at. Another relay works on the table, probably the one that this one has replaced: stop it. What it does not publish within %d s is sent again by this one"
                .formatted(events, first, table.name(), lease.toSeconds());
    }
}
