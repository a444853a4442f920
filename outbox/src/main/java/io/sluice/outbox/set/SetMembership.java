package io.sluice.outbox.set;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.Survived;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.lanes.View;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This relay's seat among the members: a lease on the database's clock, in UTC whatever the session's time zone, renewed by a thread of its own. There are no locks here that would tell of a
/// death at once, so the dead are noticed when their lease runs out.
///
/// Thread-safe: one thread writes; others read one volatile [Seat].
final class SetMembership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SetMembership.class);

    /// @param trustedUntilNanos on this process's own clock, earlier than the lease in the database
    record Seat(long number, View view, long trustedUntilNanos) {
        boolean isTrusted() {
            return System.nanoTime() - trustedUntilNanos < 0;
        }
    }

    private final ConnectionSource database;
    private final String outbox;
    private final String name;
    private final Duration lease;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;
    private volatile @Nullable Seat seat;
    private volatile long coveredAtNanos = System.nanoTime();

    SetMembership(ConnectionSource database, String outbox, String name, Duration lease) {
        this.database = database;
        this.outbox = outbox;
        this.name = name;
        this.lease = lease;
        this.thread = Thread.ofPlatform().name("outbox-session").unstarted(this::run);
    }

    /// Takes a seat.
    void start() {
        thread.start();
    }

    Optional<Seat> seat() {
        return Optional.ofNullable(seat);
    }

    Duration uncoveredFor() {
        boolean covered =
                seat().filter(Seat::isTrusted)
                        .map(now -> now.view().uncovered() == 0)
                        .orElse(false);
        return covered ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - coveredAtNanos);
    }

    private void run() {
        try {
            while (!isClosing(Duration.ZERO)) {
                try (Connection connection = database.open()) {
                    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                    hold(connection);
                } catch (InterruptedException e) {
                    throw e;
                } catch (Throwable e) { // Also an error of the machine, which may pass.
                    Survived.warn(LOG, "The session with the database is lost, joining again", e);
                    isClosing(Duration.ofMillis(200));
                }
                seat = null;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void hold(Connection connection) throws SQLException, InterruptedException {
        long self = join(connection);
        boolean alive = true;
        while (alive && !isClosing(Duration.ZERO)) {
            long asked = System.nanoTime();
            alive = renew(connection, self);
            if (alive) {
                View view = view(connection);
                coveredAtNanos = view.uncovered() == 0 ? asked : coveredAtNanos;
                seat = new Seat(self, view, asked + lease.toNanos() * 5 / 6);
                isClosing(lease.dividedBy(4));
            }
        }
        update(connection, "DELETE FROM outbox_set_member WHERE number = ?", self);
    }

    private boolean isClosing(Duration longest) throws InterruptedException {
        return closing.await(longest.toMillis(), TimeUnit.MILLISECONDS);
    }

    private long join(Connection connection) throws SQLException {
        String sql =
                "INSERT INTO outbox_set_member (outbox, name, expires_at) VALUES (?, ?, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)";
        try (PreparedStatement insert =
                connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, outbox);
            insert.setString(2, name);
            insert.setLong(3, lease.toMillis() * 1_000);
            insert.executeUpdate();
            try (ResultSet key = insert.getGeneratedKeys()) {
                key.next();
                return key.getLong(1);
            }
        }
    }

    /// Makes the lease longer, and buries those whose lease ran out.
    ///
    /// @return false when this member itself has been buried
    private boolean renew(Connection connection, long self) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE outbox_set_member SET expires_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND WHERE number = ?")) {
            update.setLong(1, lease.toMillis() * 1_000);
            update.setLong(2, self);
            if (update.executeUpdate() == 0) {
                return false;
            }
        }
        try (PreparedStatement bury =
                connection.prepareStatement(
                        "DELETE FROM outbox_set_member WHERE outbox = ? AND expires_at < UTC_TIMESTAMP(6)")) {
            bury.setString(1, outbox);
            bury.executeUpdate();
        }
        return true;
    }

    private View view(Connection connection) throws SQLException {
        NavigableSet<Long> members = new TreeSet<>();
        SortedMap<Integer, Long> owners = new TreeMap<>();
        int lanes = 0;
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT number, NULL FROM outbox_set_member WHERE outbox = ? UNION ALL SELECT owner, lane FROM outbox_set_lane WHERE outbox = ?")) {
            query.setString(1, outbox);
            query.setString(2, outbox);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    long number = row.getLong(1);
                    boolean nobody = row.wasNull();
                    int lane = row.getInt(2);
                    if (row.wasNull()) {
                        members.add(number);
                        continue;
                    }
                    lanes++;
                    if (!nobody) {
                        owners.put(lane, number);
                    }
                }
            }
        }
        return new View(members, owners, lanes, Mode.LOG);
    }

    private static void update(Connection connection, String sql, long number) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setLong(1, number);
            update.executeUpdate();
        }
    }

    @Override
    public void close() {
        closing.countDown();
        try {
            if (thread.getState() == Thread.State.NEW) {
                return; // It never joined.
            }
            thread.join(lease);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
