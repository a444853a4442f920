package io.sluice.outbox.membership;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.Survived;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Waits for the lock that the neighbour's session holds: a killed process is noticed when its socket closes, within milliseconds.
///
/// On a connection of its own that holds no lock: were the waiting done by the session that holds ours, the ring of members would
/// be a deadlock.
///
/// Thread-safe: a monitor around the target; one thread waits in the database.
final class NeighbourWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NeighbourWatch.class);
    private static final Duration RECONNECT = Duration.ofMillis(200);

    private final ConnectionSource database;
    private final Members members;
    private final Thread thread;
    private OptionalLong target = OptionalLong.empty();
    private OptionalLong waitingFor = OptionalLong.empty();
    private @Nullable PreparedStatement wait;
    private boolean closing;

    NeighbourWatch(ConnectionSource database, Members members) {
        this.database = database;
        this.members = members;
        this.thread = Thread.ofPlatform().name("outbox-watch").daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /// Called at every renewal, so that a cancellation that came too early is repeated.
    synchronized void target(OptionalLong neighbour) {
        target = neighbour;
        if (!waitingFor.equals(target)) {
            cancel();
        }
        notifyAll();
    }

    private void run() {
        try {
            while (!isClosing()) {
                try (Connection connection = database.open();
                        PreparedStatement statement = members.prepareWait(connection)) {
                    watch(connection, statement);
                } catch (InterruptedException e) {
                    throw e;
                } catch (SQLException | RuntimeException e) {
                    LOG.debug("The watch's connection is lost, opening another", e);
                    Thread.sleep(RECONNECT);
                } catch (Throwable e) { // An error of the machine, which may pass.
                    Survived.warn(LOG, "The watch has failed and begins again", e);
                    Thread.sleep(RECONNECT);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch(Connection connection, PreparedStatement statement)
            throws SQLException, InterruptedException {
        while (true) {
            OptionalLong neighbour = next(statement);
            if (neighbour.isEmpty()) {
                return;
            }
            try {
                if (!members.awaitEndOf(statement, neighbour.getAsLong())) {
                    continue; // Still there.
                }
            } catch (SQLException e) {
                if (isStillWanted(neighbour)) {
                    throw e;
                }
                continue; // Cancelled by target().
            }
            members.bury(connection, neighbour.getAsLong());
            LOG.info("Member {} is gone; its lanes are free", neighbour.getAsLong());
            buried(neighbour);
        }
    }

    /// @return empty when it is time to stop
    private synchronized OptionalLong next(PreparedStatement statement)
            throws InterruptedException {
        wait = null;
        waitingFor = OptionalLong.empty();
        while (target.isEmpty() && !closing) {
            wait();
        }
        if (closing) {
            return OptionalLong.empty();
        }
        wait = statement;
        waitingFor = target;
        return target;
    }

    private synchronized void buried(OptionalLong neighbour) {
        if (target.equals(neighbour)) {
            target = OptionalLong.empty(); // The next renewal names another one.
        }
    }

    private synchronized boolean isStillWanted(OptionalLong neighbour) {
        return !closing && target.equals(neighbour);
    }

    private synchronized boolean isClosing() {
        return closing;
    }

    private synchronized void cancel() {
        try {
            if (wait != null) {
                wait.cancel();
            }
        } catch (SQLException e) {
            LOG.debug("Nothing to cancel", e);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            cancel();
            notifyAll();
        }
        try {
            thread.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
