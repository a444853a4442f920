package io.sluice.outbox;

import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.membership.Members;
import io.sluice.outbox.membership.Membership;
import io.sluice.outbox.membership.Membership.Seat;
import io.sluice.outbox.publishing.Refusal;
import io.sluice.outbox.publishing.Sender;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides when a relay takes a seat: when the broker answers it, and does not say that a setting is wrong. Lanes of a member wait for it; they should not wait for one
/// who cannot publish while others can.
///
/// A setting may be wrong for all of them, a topic that nobody has made for example. So whoever finds no other member joins with it: its lanes stop, which is an alarm,
/// and are tried again, while the others stay outside and ask now and then.
///
/// Owned by the publishing thread.
final class Admission {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);
    private static final Duration LOOK_AROUND = Duration.ofSeconds(1);
    private static final Backoff UNREACHED =
            new Backoff(Duration.ofMillis(500), Duration.ofSeconds(5));

    /// Where the broker answers now and then and takes no events, the relay would come and go. Not for long: when all have left in step, events wait for the first to come back.
    static final Backoff COME_BACK = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(10));

    /// Where the broker answers questions and refuses events, only events can tell whether the setting has changed; and each attempt costs its lanes a moment.
    private static final Backoff REFUSED =
            new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(2));

    private final Membership membership;
    private final String outbox;
    private final Waking waking;
    private final RelayStatus status;
    private final Runnable alive;
    private int times; // How often it has stood aside since anything was published.
    private long publishedBefore;

    /// @param alive called again and again while it waits
    Admission(
            Membership membership,
            String outbox,
            Waking waking,
            RelayStatus status,
            Runnable alive) {
        this.membership = membership;
        this.outbox = outbox;
        this.waking = waking;
        this.status = status;
        this.alive = alive;
    }

    /// Takes a seat as soon as it may. Whoever has to wait may still have one, from before its connection to the database was lost, and gives it up.
    void enter(Connection connection, Sender sender) throws SQLException, InterruptedException {
        int attempts = 0;
        Optional<Refusal> trouble = sender.prepare();
        while (trouble.isPresent() && !waking.isStopping() && !isAlone(connection, trouble.get())) {
            alive.run();
            attempts++;
            membership.withdraw();
            if (attempts == 1) {
                LOG.warn(
                        "This relay has no lanes until it can publish to the broker: {}",
                        trouble.get().reason());
            }
            status.transportFailed(trouble.get().reason());
            waking.pause(UNREACHED.after(attempts));
            trouble = sender.prepare();
        }
        if (!waking.isStopping()) {
            status.brokerReached();
            if (attempts > 0) {
                probe(connection);
            }
            membership.start();
        }
    }

    /// The session may have been silent for hours, and whatever stands between may have forgotten it. Better found out now than when the others have left lanes to it.
    private static void probe(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        }
    }

    /// Whether a wrong setting is nobody else's loss.
    private boolean isAlone(Connection connection, Refusal why) throws SQLException {
        return why instanceof Refusal.OfConfiguration && !hasOthers(connection);
    }

    private boolean hasOthers(Connection connection) throws SQLException {
        long self = membership.seat().map(Seat::number).orElse(0L);
        return Members.others(connection, outbox, self) > 0;
    }

    /// The seat is given up; waits for some time before it may be worth another attempt.
    ///
    /// @param refused why the broker takes nothing from here; empty if it does not answer
    void standAside(Connection connection, Optional<String> refused)
            throws SQLException, InterruptedException {
        times = status.published() > publishedBefore ? 1 : times + 1;
        publishedBefore = status.published();
        if (refused.isEmpty()) {
            status.transportFailed("cut off from it, and other relays have the lanes");
            waking.pause(COME_BACK.after(times));
            return;
        }
        status.transportFailed(refused.get() + "; other relays have the lanes");
        Duration most = REFUSED.after(times);
        long began = System.nanoTime();
        do {
            alive.run();
            waking.pause(LOOK_AROUND);
        } while (!waking.isStopping()
                && System.nanoTime() - began < most.toNanos()
                && hasOthers(connection));
        // All of them may have left in step, and must not come back so: the first that does has
        // the lanes.
        long spread = COME_BACK.after(times + 2).toMillis();
        waking.pause(Duration.ofMillis(ThreadLocalRandom.current().nextLong(spread)));
    }
}
