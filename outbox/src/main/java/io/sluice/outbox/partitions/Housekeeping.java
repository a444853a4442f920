package io.sluice.outbox.partitions;

import io.sluice.outbox.BoundedSessions;
import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.Survived;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks after the partitions of the event table now and then, if it has any.
///
/// Thread-safe: a thread of its own; others read what is volatile or atomic.
public final class Housekeeping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final ConnectionSource database;
    private final @Nullable Duration retention;
    private final EventPartitions partitions;
    private volatile double ahead = Double.NaN;
    private @Nullable String told; // Its own thread's.
    private final AtomicBoolean wantsLanesSaved = new AtomicBoolean();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;

    /// Makes partitions ahead of the writers and drops none: for those who do not know how long they are to be kept.
    public static Housekeeping addingOnly(
            ConnectionSource database, OutboxTable table, Duration lease) {
        return new Housekeeping(database, table, null, lease);
    }

    /// @param retention how long partitions of published events are kept; null for ever
    /// @param lease added to how long its session may be idle
    public Housekeeping(
            ConnectionSource database,
            OutboxTable table,
            @Nullable Duration retention,
            Duration lease) {
        this.retention = retention;
        // Its session's lock keeps the others out; one that is frozen, or whose host is lost, would
        // hold it until the writers have run out of partitions.
        this.database =
                new BoundedSessions(database, interval().plus(lease), true, Duration.ofMinutes(5));
        this.partitions = new EventPartitions(table);
        this.thread = Thread.ofPlatform().name("outbox-housekeeping").daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /// Whether a partition waits for lanes that have had nothing to save; asked once.
    public boolean wantsLanesSaved() {
        return wantsLanesSaved.compareAndSet(true, false);
    }

    /// Partitions that were ready ahead of the writers when it last looked, before it made more; not a number for a table without partitions, and while
    /// it cannot look.
    public double ahead() {
        return ahead;
    }

    /// A quarter of the retention, from a second to ten: writers must not use up three partitions meanwhile.
    private Duration interval() {
        if (retention == null) {
            return LONGEST;
        }
        long millis = Math.clamp(retention.toMillis() / 4, 1_000L, LONGEST.toMillis());
        return Duration.ofMillis(millis);
    }

    private void run() {
        try {
            do {
                try (Connection connection = database.open()) {
                    if (partitions.isPlain(connection)) {
                        return; // Nor will it ever have any.
                    }
                    serve(connection);
                } catch (InterruptedException e) {
                    throw e;
                } catch (Throwable e) { // Also an error of the machine, which may pass.
                    ahead = Double.NaN;
                    tell(e);
                }
            } while (!isStopped());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Once for each reason: a table with partitions that somebody else has made stays as it is.
    private void tell(Throwable failure) {
        String message = failure.getMessage();
        if (message == null || !message.equals(told)) {
            told = message;
            Survived.warn(LOG, "Partitions are not looked after at the moment", failure);
        }
    }

    private void serve(Connection connection) throws SQLException, InterruptedException {
        while (partitions.isPartitioned(connection)) {
            ahead = partitions.ahead(connection);
            told = null;
            if (retention == null) {
                partitions.makeAhead(connection);
            } else if (partitions.maintain(connection, retention)) {
                wantsLanesSaved.set(true);
            }
            if (isStopped()) {
                return;
            }
        }
    }

    private boolean isStopped() throws InterruptedException {
        return stopped.await(interval().toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        stopped.countDown();
        try {
            thread.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
