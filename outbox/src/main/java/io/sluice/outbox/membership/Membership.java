package io.sluice.outbox.membership;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.Survived;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.lanes.View;
import io.sluice.outbox.membership.Members.Roll;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This relay's seat among the members: renews its lease, listens for news, and knows who is there.
///
/// ```
///            joined                       renewed (every third of the lease)
///  OUTSIDE ───────────▶ MEMBER(number) ◀──────┐
///     ▲                    │   └──────────────┘
///     ├────────────────────┘ buried by others, lease ran out, connection lost: joins again under a new number
///     └──────────────────────  withdrawn, or its lanes stand still: joins again if it is started again, or when able
/// ```
/// A number is never used twice, so lanes of an earlier seat are somebody else's to us.
///
/// Thread-safe: one session thread writes; others read one volatile [Seat] and wait for news in a monitor.
public final class Membership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);
    private static final Duration RECONNECT = Duration.ofMillis(200);

    /// A membership as it was when it was last renewed.
    ///
    /// @param renewal grows with every renewal, so each view is acted on once
    /// @param trustedUntilNanos on this process's own clock, earlier than the lease in the database by a margin: whoever was stopped
    ///     for longer knows by itself that its lanes may be somebody else's
    public record Seat(long number, long renewal, View view, long trustedUntilNanos) {
        public boolean isTrusted() {
            return System.nanoTime() - trustedUntilNanos < 0;
        }
    }

    private final ConnectionSource database;
    private final Members members;
    private final Duration lease;
    private final Runnable news;
    private final BooleanSupplier able;
    private final NeighbourWatch watch;
    private final Thread thread;
    private volatile @Nullable Seat seat;
    private volatile @Nullable String disagreement;
    private volatile boolean closing;
    private boolean started; // Guarded by this.
    private boolean wanted; // Guarded by this.
    private volatile int withdrawals; // Written under the monitor.
    private volatile long coveredAtNanos = System.nanoTime();
    private long renewals; // Session thread only.
    private int withdrawalsBefore; // Session thread only: when it set out to join.

    /// @param news called when members or lanes have changed, or somebody rang
    /// @param able whether lanes that this relay has would be worked on; asked several times per lease
    public Membership(
            ConnectionSource database,
            String outbox,
            String name,
            Destination destination,
            Duration lease,
            Runnable news,
            BooleanSupplier able) {
        this.database = database;
        this.members = new Members(outbox, name, destination, lease);
        this.lease = lease;
        this.news = news;
        this.able = able;
        this.watch = new NeighbourWatch(database, members);
        this.thread = Thread.ofPlatform().name("outbox-session").unstarted(this::run);
    }

    /// Takes a seat, if it has none.
    public synchronized void start() {
        wanted = true;
        notifyAll();
        if (!started && !closing) {
            started = true;
            watch.start();
            thread.start();
        }
    }

    /// Gives the seat up, for this relay at once and for the others soon. What the lanes are like stays as it was saved last; others take them as those of the dead.
    ///
    /// It is not taken back: whoever starts again before the session thread has looked gets another seat when this one is gone. Or a relay that fails soon after each
    /// start would keep its lanes.
    public synchronized void withdraw() {
        wanted = false;
        withdrawals++;
        seat = null;
    }

    private synchronized void awaitWanted() throws InterruptedException {
        while (!(wanted && able.getAsBoolean()) && !closing) {
            wait(RECONNECT.toMillis());
        }
        withdrawalsBefore = withdrawals;
    }

    private boolean isWithdrawn() {
        return withdrawals != withdrawalsBefore;
    }

    private synchronized void renewed(Seat now) {
        if (!isWithdrawn()) {
            seat = now;
        }
    }

    /// The current seat, if there is one.
    public Optional<Seat> seat() {
        return Optional.ofNullable(seat);
    }

    /// Who else publishes to another topic, or with another guarantee, as a sentence. Nobody stops because of it: while a setting is being changed, relay by
    /// relay, it is so for a while.
    public Optional<String> disagreement() {
        return Optional.ofNullable(disagreement);
    }

    /// For how long some lane has had no owner, or nobody could be asked; zero if all have one.
    public Duration uncoveredFor() {
        boolean covered =
                seat().filter(Seat::isTrusted).map(now -> isCovered(now.view())).orElse(false);
        return covered ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - coveredAtNanos);
    }

    /// In compat mode nobody needs lanes.
    private static boolean isCovered(View view) {
        return view.uncovered() == 0 || view.mode() == Mode.COMPAT;
    }

    private void run() {
        while (!closing) {
            try {
                awaitWanted();
            } catch (InterruptedException e) {
                return; // Nobody does that.
            }
            try (Connection connection = database.open()) {
                try {
                    hold(connection);
                } finally {
                    stand();
                }
            } catch (Throwable e) { // Also an error of the machine, which may pass.
                if (!closing) {
                    Survived.warn(LOG, "The session with the database is lost, joining again", e);
                    pause(RECONNECT);
                }
            }
        }
    }

    /// At once, whatever else there is to do: the session's lock is free, and the neighbour that waits for it lets others have the lanes within milliseconds.
    private void stand() {
        seat = null;
        disagreement = null;
        news.run();
    }

    /// From joining to losing the seat.
    private void hold(Connection connection) throws SQLException {
        try (Statement listen = connection.createStatement()) {
            listen.execute("LISTEN " + members.channel(connection));
        }
        boolean comparing = Members.tellDestinations(connection);
        if (!comparing) {
            LOG.warn(
                    "Relays that publish to another topic, or with another guarantee, are not noticed: table outbox_member has no columns for that. Run V6__destinations.sql, or OutboxSchema.install, and start the relays again");
        }
        long self = members.join(connection, comparing);
        LOG.info("Member {} joined", self);
        while (!closing && !isWithdrawn() && able.getAsBoolean()) {
            long asked = System.nanoTime();
            Optional<Roll> roll = members.renew(connection, self, comparing);
            if (roll.isEmpty()) {
                LOG.warn(
                        "Member {} was taken for dead, for example after a pause longer than its lease of {} ms; it joins again",
                        self,
                        lease.toMillis());
                return;
            }
            View view = roll.get().view();
            if (isCovered(view)) {
                coveredAtNanos = asked;
            }
            renewals++;
            Seat before = seat;
            renewed(new Seat(self, renewals, view, asked + lease.toNanos() * 5 / 6));
            compare(roll.get().disagreement());
            watch.target(view.neighbour(self));
            if (isNews(before, view)) {
                news.run();
            }
            listen(connection, lease.dividedBy(3));
        }
        if (!closing && !isWithdrawn()) {
            LOG.error(
                    "The publishing thread stands still, and others get the lanes until it goes on. A thread dump tells what it waits for");
        }
        seat = null; // Before others may take the lanes.
        watch.target(OptionalLong.empty());
        members.leave(connection, self);
        LOG.info("Member {} left", self);
    }

    /// One line in the log for each change.
    private void compare(@Nullable String now) {
        if (now != null && !now.equals(disagreement)) {
            LOG.warn("{}", now);
        }
        disagreement = now;
    }

    /// A renewal alone wakes nobody: whoever woke up would look at the table for nothing.
    private static boolean isNews(@Nullable Seat before, View now) {
        return before == null || !before.view().equals(now) || !isCovered(now);
    }

    /// Until the time is over or the members have news. A ring for new events is passed on at once.
    private void listen(Connection connection, Duration longest) throws SQLException {
        PGConnection session = connection.unwrap(PGConnection.class);
        long until = System.nanoTime() + longest.toNanos();
        long left = longest.toMillis();
        while (left > 0 && !closing && !isWithdrawn()) {
            PGNotification[] heard = session.getNotifications((int) left);
            if (heard != null && heard.length > 0) {
                news.run();
                for (PGNotification notification : heard) {
                    if (notification.getParameter().equals("members")) {
                        return;
                    }
                }
            }
            left = Duration.ofNanos(until - System.nanoTime()).toMillis();
        }
    }

    /// Leaves, so that the others need not wait for the lease to run out.
    @Override
    public void close() {
        closing = true;
        wakeUp();
        if (!hasStarted()) {
            return;
        }
        try {
            // The session thread may be listening for up to a third of the lease; a ring of our own
            // wakes it.
            try (Connection connection = database.open()) {
                Members.tellMembers(connection);
            } catch (SQLException | RuntimeException e) {
                LOG.debug("Nobody to tell", e);
            }
            thread.join(lease);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        watch.close();
    }

    private synchronized void wakeUp() {
        notifyAll();
    }

    private synchronized boolean hasStarted() {
        return started;
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
