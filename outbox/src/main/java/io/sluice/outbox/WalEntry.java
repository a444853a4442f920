package io.sluice.outbox;

import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.wal.Slot;
import io.sluice.outbox.wal.WalCursor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The way from the table to the database's log.
///
/// ```
///          wanted, no obstacle                made          what was open then has ended           all at rest there
///  OUTSIDE ───────────────────▶ MAKING a slot ──────▶ SETTLING ───────────────▶ APPROACHING a snapshot ─────────────▶ the stream begins
///                                                                                  ▲          │
///                                                                                  └──────────┘ some have gone on: a later one
/// ```
/// The table goes on while the slot is made, so it gets further than where the slot begins. Therefore all lanes are led to one snapshot, taken behind
/// that, and the stream leaves out what is visible in it. The snapshot is taken when all that was open at that moment has ended: it may have been
/// written to the log in front of the slot, and be visible only later.
///
/// Owned by the publishing thread.
final class WalEntry {
    private static final Logger LOG = LoggerFactory.getLogger(WalEntry.class);
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(2);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    /// Most transactions are over by then, and nobody needs to be told of them.
    private static final Duration SHORT = Duration.ofSeconds(1);

    /// What the database's views show of a transaction's number.
    private static final long LOW_HALF = 0xFFFF_FFFFL;

    private final RelaySettings settings;
    private final OwnedLanes lanes;
    private Slot.@Nullable Making making;
    private Slot.@Nullable Made made;
    private Slot.@Nullable Beginning approached;
    private long mayTryAtNanos = System.nanoTime();
    private long madeAtNanos;
    private long lookedAtNanos;
    private long told; // The transaction that people were told of.

    WalEntry(RelaySettings settings, OwnedLanes lanes) {
        this.settings = settings;
        this.lanes = lanes;
    }

    /// One step, if there is one to take.
    ///
    /// @return where the stream begins, once the table is published up to there
    Optional<WalCursor> go(Connection connection, Slot slot)
            throws SQLException, InterruptedException {
        // A lane that is opened while parked events of it are being sent would never be closed.
        boolean atRest =
                lanes.retrying().isEmpty()
                        && lanes.all().stream().noneMatch(lane -> lane.cursor().isOpen());
        if (approached != null) {
            if (!atRest) {
                return Optional.empty();
            }
            if (!areAllAt(approached.snapshot())) {
                // One of them was held up, and the others have gone on. What is not visible later
                // is not visible earlier either, so it is behind the same
                // position.
                approach(connection, approached.later(connection));
                return Optional.empty();
            }
            WalCursor cursor = WalCursor.at(settings.table().name(), approached);
            approached = null;
            return Optional.of(cursor);
        }
        if (made != null) {
            if (atRest && System.nanoTime() - lookedAtNanos >= BETWEEN_LOOKS.toNanos()) {
                settle(connection, slot, made);
            }
        } else if (making != null) {
            if (making.isDone() && atRest) {
                take(connection, slot, making);
            }
        } else if (System.nanoTime() - mayTryAtNanos >= 0) {
            later();
            make(connection, slot);
        }
        return Optional.empty();
    }

    private void make(Connection connection, Slot slot) throws SQLException, InterruptedException {
        Replication replication = settings.replication();
        if (replication == null || !isWanted(connection)) {
            return;
        }
        Optional<String> obstacle = slot.obstacle(connection, replication.mayBeUnbounded());
        if (obstacle.isPresent()) {
            LOG.warn("Events are read from the table, not from the log: {}", obstacle.get());
            return;
        }
        try {
            making = slot.make(connection, lanes::ifOurs, replication.connections());
        } catch (SQLException e) {
            LOG.warn("Events are read from the table, no slot can be made: {}", e.getMessage());
        }
    }

    private boolean areAllAt(String snapshot) {
        return lanes.all().stream().allMatch(lane -> lane.cursor().seen().equals(snapshot));
    }

    private void take(Connection connection, Slot slot, Slot.Making done) throws SQLException {
        making = null;
        Slot.Made taken;
        try {
            taken = done.made(connection);
        } catch (SQLException e) {
            LOG.warn("Events are read from the table: {}", e.getMessage());
            return;
        }
        made = taken;
        madeAtNanos = System.nanoTime();
        told = 0;
        settle(connection, slot, taken);
    }

    /// Until then the table is read on, however long it takes.
    private void settle(Connection connection, Slot slot, Slot.Made taken) throws SQLException {
        lookedAtNanos = System.nanoTime();
        Slot.Beginning now = taken.beginning(connection);
        OptionalLong awaited = taken.awaited(now);
        if (awaited.isPresent()) {
            if (lookedAtNanos - madeAtNanos > SHORT.toNanos()) {
                tell(connection, awaited.getAsLong());
            }
            return;
        }
        made = null;
        if (slot.reaches(connection, now.lsn())) {
            approach(connection, now);
        } else {
            LOG.warn("Events are read from the table: slot {} was lost meanwhile", slot.name());
        }
    }

    /// One word about each transaction that is waited for.
    private void tell(Connection connection, long transaction) throws SQLException {
        if (transaction == told) {
            return;
        }
        told = transaction;
        String reason =
                "transaction %d was open when the slot was made: it may wait for a synchronous standby, with its COMMIT in front of what the slot brings. The log is read when it has ended. Whose it is: pg_stat_activity.backend_xid or pg_prepared_xacts.transaction = %d"
                        .formatted(transaction, transaction & LOW_HALF);
        LOG.warn("Events are read from the table: {}", reason);
        lanes.ifOurs(
                connection, () -> WalCursor.postponed(connection, settings.table().name(), reason));
    }

    private void approach(Connection connection, Slot.Beginning beginning) throws SQLException {
        approached = beginning;
        lanes.all().forEach(lane -> lane.open(beginning.snapshot()));
        lanes.saveAll(connection);
    }

    /// Not at once again.
    void later() {
        mayTryAtNanos = System.nanoTime() + BETWEEN_ATTEMPTS.toNanos();
    }

    /// Whether a slot has been made, or is being made, that is not read yet.
    boolean hasBegun() {
        return making != null || made != null || approached != null;
    }

    void forget() {
        approached = null;
        made = null;
        if (making != null) {
            try {
                making.close();
            } catch (SQLException e) {
                LOG.debug("The connection that made a slot is gone", e);
            }
            making = null;
        }
    }

    /// What the database says now; what the members know may be older.
    boolean isWanted(Connection connection) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT mode FROM outbox_source WHERE outbox = ?")) {
            query.setString(1, settings.table().name());
            try (ResultSet row = query.executeQuery()) {
                return row.next() && Mode.of(row.getString(1)) == Mode.WAL;
            }
        }
    }
}
