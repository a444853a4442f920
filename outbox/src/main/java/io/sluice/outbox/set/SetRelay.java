package io.sluice.outbox.set;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.CountedSessions;
import io.sluice.outbox.Guarantee;
import io.sluice.outbox.Health;
import io.sluice.outbox.RelayCounts;
import io.sluice.outbox.RelayMetrics;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.Survived;
import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.lanes.Share;
import io.sluice.outbox.publishing.Headers;
import io.sluice.outbox.publishing.Publisher;
import io.sluice.outbox.publishing.Refusal;
import io.sluice.outbox.publishing.Sender;
import io.sluice.outbox.set.SetMembership.Seat;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Publishes the events of an outbox table in a database that is not PostgreSQL; as many of them as you like share the work.
///
/// Reads, sends, deletes; looks again after 1 ms, and after up to `idleWait` when nothing happens. At least once.
///
/// Thread-safe: its threads are its own; what others may ask is volatile.
public final class SetRelay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SetRelay.class);
    private static final Backoff FAILURES =
            new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
    private static final Duration TO_STOP = Duration.ofSeconds(15);
    private static final int MOST_OUT_OF_MEMORY = 3;
    private static final Duration TO_FINISH = Duration.ofSeconds(5);

    private final CountedSessions database;
    private final RelaySettings settings;
    private final SetMembership membership;
    private final SetTables tables;
    private final SetRounds rounds;
    private final Sender sender;
    private final Map<Integer, SetLane> lanes = new TreeMap<>(); // The publishing thread's.
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final RelayMetrics metrics;
    private final RelayCounts counts;
    private final Thread thread;
    private long self;
    private boolean joined;
    private volatile long finishUntilNanos;
    private int failures; // Since the last round that was finished.
    private int outOfMemory; // Likewise.
    private volatile SortedSet<Integer> owned = new TreeSet<>();
    private volatile @Nullable String trouble;

    private SetRelay(ConnectionSource given, RelaySettings settings, MeterRegistry registry) {
        if (settings.guarantee() != Guarantee.AT_LEAST_ONCE) {
            throw new IllegalArgumentException(
                    "guarantee=%s: set mode has at-least-once only"
                            .formatted(settings.guarantee()));
        }
        this.database = new CountedSessions(given);
        this.settings = settings;
        this.metrics =
                new RelayMetrics(registry, settings.table(), settings.topic(), settings.name());
        this.counts = new RelayCounts(metrics::acknowledged);
        this.membership =
                new SetMembership(
                        given, settings.table().name(), settings.name(), settings.lease());
        this.tables = new SetTables(settings.table(), settings.parking());
        this.rounds =
                new SetRounds(
                        settings,
                        tables,
                        lanes,
                        this::mayPublish,
                        this::isStopping,
                        this::failed,
                        counts);
        // A wrong setting is told to the one who starts it.
        this.sender =
                new Publisher(
                        settings.topic(),
                        event -> Headers.numbered(settings.topic(), event),
                        settings.producer());
        this.thread = Thread.ofPlatform().name("outbox-publishing").unstarted(this::publish);
    }

    /// Without metrics.
    public static SetRelay start(ConnectionSource database, RelaySettings settings) {
        return start(database, settings, new CompositeMeterRegistry());
    }

    public static SetRelay start(
            ConnectionSource database, RelaySettings settings, MeterRegistry registry) {
        SetRelay relay = new SetRelay(database, settings, registry);
        relay.metrics.watch(relay, relay.counts, relay.database, SetRelay::oldestUnpublished);
        relay.metrics.watchParking(relay.counts);
        relay.metrics.watchLanes(relay, r -> r.owned.size(), SetRelay::uncovered);
        relay.thread.start(); // Takes its seat when the broker has answered.
        return relay;
    }

    /// Events acknowledged by the broker since the start.
    public long published() {
        return counts.published();
    }

    /// The numbers of the lanes that this relay owns.
    public SortedSet<Integer> lanes() {
        return owned;
    }

    private Duration oldestUnpublished() {
        boolean isInTrouble = trouble != null;
        boolean isOthersBusiness = owned.isEmpty() && !isInTrouble;
        return isOthersBusiness ? Duration.ZERO : counts.oldestUnpublished(isInTrouble);
    }

    private int uncovered() {
        return membership.seat().map(seat -> seat.view().uncovered()).orElse(-1);
    }

    public Health health() {
        return Health.of(membership.uncoveredFor(), trouble, Map.of());
    }

    /// Whatever ends the thread, an error of the machine for example, others have to get the lanes.
    private void publish() {
        try {
            run();
        } catch (Throwable e) {
            failed("the relay failed: " + e);
            LOG.error("Publishing has ended, and the lanes are given up", e);
            membership.close();
            throw e;
        }
    }

    private void run() {
        try (sender) {
            while (!isStopping(Duration.ZERO)) {
                try (BoundedSession session = BoundedSession.open(database, settings.lease())) {
                    Connection connection = session.connection();
                    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                    connection.setAutoCommit(false);
                    serve(connection);
                } catch (SQLException e) {
                    failures++;
                    failed("database: " + e.getMessage());
                    LOG.warn("The database failed, publishing pauses: {}", e.getMessage());
                    isStopping(FAILURES.after(failures));
                } catch (RuntimeException e) {
                    failures++;
                    failed("the relay failed: " + e);
                    LOG.error("Publishing failed, and begins again", e);
                    isStopping(FAILURES.after(failures));
                } catch (OutOfMemoryError e) { // It may pass; the producer may be unfit.
                    outOfMemory++; // Not with those of the database, which say nothing about it.
                    forget();
                    if (outOfMemory > MOST_OUT_OF_MEMORY) {
                        throw e; // It does not: others get the lanes.
                    }
                    Survived.warn(LOG, "Publishing begins again", e);
                    failed("the relay failed: " + e);
                    sender.close();
                    isStopping(FAILURES.after(outOfMemory));
                } finally {
                    forget();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void forget() {
        lanes.clear();
        owned = new TreeSet<>();
        self = 0;
    }

    private void failed(@Nullable String reason) {
        trouble = reason;
    }

    /// The database is there; so is the broker if something was sent, and without lanes it is others who need it.
    private void reached(boolean brokerToo) {
        @Nullable String now = trouble;
        if (brokerToo || (now != null && !now.startsWith(SetRounds.BROKER))) {
            trouble = null;
        }
    }

    /// Whoever has joined is given lanes, whose events wait for it.
    private void join() throws InterruptedException {
        int attempts = 0;
        Optional<Refusal> trouble = sender.prepare();
        while (trouble.isPresent()
                && trouble.get() instanceof Refusal.Transport(String reason)
                && !isStopping(Duration.ZERO)) {
            attempts++;
            if (attempts == 1) {
                LOG.warn("This relay has no lanes until it reaches the broker: {}", reason);
            }
            failed(SetRounds.BROKER + reason);
            isStopping(FAILURES.after(attempts));
            trouble = sender.prepare();
        }
        if (!isStopping(Duration.ZERO)) {
            reached(true);
            membership.start();
            joined = true;
        }
    }

    private void serve(Connection connection) throws SQLException, InterruptedException {
        if (!joined) {
            join();
        }
        long wait = 1;
        while (!isStopping(Duration.ofMillis(wait))) {
            Optional<Seat> seat = membership.seat().filter(Seat::isTrusted);
            if (seat.isEmpty()) {
                forget(); // Somebody else may have them by now.
                wait = longer(wait);
                continue;
            }
            follow(connection, seat.get());
            int sent = rounds.publish(connection, sender);
            counts.published(sent);
            failures = 0;
            outOfMemory = 0;
            reached(sent > 0 || lanes.isEmpty());
            wait = sent > 0 ? 0 : longer(wait);
        }
        tables.giveAway(connection, lanes.values());
        connection.commit();
    }

    /// Twice as long, and never nothing: it may follow a round after which there was no wait.
    private long longer(long waitMillis) {
        return Math.clamp(waitMillis * 2, 1, settings.idleWait().toMillis());
    }

    private void follow(Connection connection, Seat seat) throws SQLException {
        boolean lost = lanes.isEmpty() && !owned.isEmpty();
        if (seat.number() != self || lost) {
            forget();
            self = seat.number();
            // What the database says is ours nobody else will take while we live.
            List<SetLane> again = tables.takeAgain(connection, self);
            connection.commit();
            again.forEach(lane -> lanes.put(lane.number(), lane));
            rounds.took(connection);
        }
        Share share = Share.of(seat.view(), self, lanes.keySet());
        if (share.take() > 0) {
            List<SetLane> taken = tables.claim(connection, self, share.take());
            connection.commit();
            taken.forEach(lane -> lanes.put(lane.number(), lane));
            rounds.took(connection);
        } else if (!share.give().isEmpty()) {
            List<SetLane> given =
                    share.give().stream()
                            .map(lanes::get)
                            .filter(lane -> lane != null && lane.sending() == null)
                            .toList();
            tables.giveAway(connection, given);
            connection.commit();
            given.forEach(lane -> lanes.remove(lane.number()));
        }
        if (lanes.size() != owned.size()) {
            owned = new TreeSet<>(lanes.keySet());
        }
    }

    /// A relay that stops finishes what it has begun, if that does not take long.
    private boolean mayPublish() {
        boolean inTime = stopping.getCount() > 0 || System.nanoTime() - finishUntilNanos < 0;
        return inTime
                && membership
                        .seat()
                        .filter(seat -> seat.number() == self && seat.isTrusted())
                        .isPresent();
    }

    private boolean isStopping(Duration longest) throws InterruptedException {
        return stopping.await(longest.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// Finishes what is on its way, gives the lanes to the others, leaves.
    @Override
    public void close() {
        finishUntilNanos = System.nanoTime() + TO_FINISH.toNanos();
        stopping.countDown();
        try {
            thread.join(TO_STOP);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        membership.close();
        metrics.close();
    }
}
