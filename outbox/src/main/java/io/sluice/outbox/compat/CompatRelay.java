package io.sluice.outbox.compat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.sluice.outbox.BoundedSessions;
import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.CountedSessions;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.RelayCounts;
import io.sluice.outbox.RelayMetrics;
import io.sluice.outbox.compat.Claims.Batch;
import io.sluice.outbox.compat.Claims.Claimed;
import io.sluice.outbox.compat.Delivery.Answers;
import io.sluice.outbox.partitions.Housekeeping;
import io.sluice.outbox.publishing.LeftBehind;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// The document's relay: claims a batch of its part, sends it, marks it.
///
/// Works on the part that its id names, and on those of instances that are not there ([Parts]). While instances disagree on their total, those who work go on,
/// and whoever has come with another total claims nothing: rows would be claimed by two, or by none.
///
/// What a batch has come to is kept until it is marked: a session that ends before that is followed by one that marks it, and nothing of it is sent again.
///
/// Thread-safe: its thread is its own; what others may ask is volatile.
public final class CompatRelay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CompatRelay.class);
    private static final Duration ANSWER = Duration.ofSeconds(60);

    private final CountedSessions database;
    private final OutboxTable table;
    private final CompatSettings settings;
    private final Claims claims;
    private final Delivery delivery;
    private final LeftBehind leftBehind = new LeftBehind();
    private final Parts parts;
    private final Strangers strangers;
    private final Duration lease;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;
    private final Housekeeping housekeeping;
    private final RelayMetrics metrics;
    private final RelayCounts counts;
    private @Nullable Answers unmarked; // Of the batch that was sent last.
    private boolean isInHand; // A batch was begun and is not marked.
    private long heirFromNanos = System.nanoTime(); // A lease later where one has failed.
    private volatile int workedOn;
    private volatile @Nullable String trouble;
    private volatile @Nullable String brokerTrouble;

    private CompatRelay(
            ConnectionSource database,
            OutboxTable table,
            String topic,
            Map<String, Object> producer,
            CompatSettings settings,
            MeterRegistry registry) {
        // Longer than a batch can take, so that nobody claims what is still on its way.
        this.lease = settings.timeout().multipliedBy(4);
        // Its locks tell that an instance is there; a frozen one, or one whose host is lost, would
        // hold them.
        this.database =
                new CountedSessions(
                        new BoundedSessions(
                                database, lease.plus(settings.fixedDelay()), true, ANSWER));
        this.table = table;
        this.settings = settings;
        this.claims = new Claims(table, lease, ANSWER);
        this.parts = new Parts(table, settings);
        this.strangers = new Strangers(table, lease, Strangers.LOOK);
        // Where compat relays alone run, writers need partitions all the same. How long they are
        // kept is a setting of other modes.
        this.housekeeping = Housekeeping.addingOnly(database, table, lease);
        this.thread = Thread.ofPlatform().name("outbox-compat").unstarted(this::publish);
        // Before there are meters, which would outlive a wrong setting.
        this.delivery = new Delivery(topic, settings, producer, lease, this::acknowledged);
        this.metrics = new RelayMetrics(registry, table, topic, "relay-" + settings.instanceId());
        this.counts = new RelayCounts(metrics::acknowledged);
    }

    private void acknowledged(long ageMicros) {
        counts.acknowledged(ageMicros);
    }

    /// Without metrics.
    public static CompatRelay start(
            ConnectionSource database,
            OutboxTable table,
            String topic,
            Map<String, Object> producer,
            CompatSettings settings) {
        return start(database, table, topic, producer, settings, new CompositeMeterRegistry());
    }

    public static CompatRelay start(
            ConnectionSource database,
            OutboxTable table,
            String topic,
            Map<String, Object> producer,
            CompatSettings settings,
            MeterRegistry registry) {
        CompatRelay relay = new CompatRelay(database, table, topic, producer, settings, registry);
        relay.metrics.watch(
                relay,
                relay.counts,
                relay.database,
                r -> r.counts.oldestUnpublished(r.trouble() != null));
        relay.metrics.watchParts(relay, r -> r.workedOn, r -> r.parts.uncovered());
        relay.thread.start();
        relay.housekeeping.start();
        return relay;
    }

    /// Events marked as published by this instance since its start.
    public long published() {
        return counts.published();
    }

    /// Looks at the table that found nothing.
    public long emptyPolls() {
        return counts.emptyPolls();
    }

    /// The instances that there are for a table, whether they have their part or wait for it, in the order of their ids.
    public static List<Seat> seats(Connection connection, OutboxTable table) throws SQLException {
        return new StaticSeats(table).roll(connection).seats();
    }

    /// Why this instance does not work as it should; null if it does.
    public @Nullable String trouble() {
        @Nullable String ofInstance = trouble;
        return ofInstance == null ? brokerTrouble : ofInstance;
    }

    /// Whatever ends the thread, an error of the machine for example: its session goes with it, so others work for its part, and health tells.
    private void publish() {
        try {
            run();
        } catch (Throwable e) {
            trouble = "the relay has ended: " + e;
            LOG.error("Publishing has ended", e);
            throw e;
        }
    }

    private void run() {
        try {
            while (!isStopped(Duration.ZERO)) {
                try {
                    serve();
                } catch (SQLException e) {
                    failed("the database failed: " + e.getMessage());
                } catch (RuntimeException | OutOfMemoryError e) { // Memory may be there again.
                    failed(e + (e.getCause() == null ? "" : ": " + e.getCause()));
                } finally {
                    workedOn = 0; // The locks go with the session.
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The producer is made here, since that fails, too: the broker's name may not be known yet. All that it was given is answered when it is closed, or never will be.
    private void serve() throws SQLException, InterruptedException {
        leftBehind.requireFew();
        try (Connection connection = database.open();
                GuardedProducer producer =
                        new GuardedProducer(connection, delivery.producer(), leftBehind, lease)) {
            try {
                claims.connected(connection);
                strangers.begin(connection);
                settle(connection);
                parts.begin(connection, heirFromNanos);
                serve(connection, producer);
            } catch (SQLException | RuntimeException | OutOfMemoryError e) {
                noteFailure(connection);
                throw e;
            }
        }
    }

    /// Where the session has not failed, something else has, and would again: what was in hand waits for its lease, so that others get their turn, and nothing is
    /// sent again and again. Whoever has lost the session has done nothing wrong.
    private void noteFailure(Connection connection) {
        if (isInHand && GuardedProducer.isThere(connection)) {
            heirFromNanos = System.nanoTime() + lease.toNanos();
        }
        isInHand = false;
    }

    /// What the last session could not mark any more. Where somebody has claimed it since, nothing changes.
    private void settle(Connection connection) throws SQLException {
        Answers open = unmarked;
        if (open == null) {
            return;
        }
        isInHand = true;
        try {
            mark(connection, open);
        } catch (SQLException | RuntimeException | OutOfMemoryError e) {
            if (GuardedProducer.isThere(connection)) {
                unmarked = null; // Nor would it be next time: its lease ends it.
            }
            throw e;
        }
    }

    private void failed(String reason) throws InterruptedException {
        trouble = reason;
        LOG.warn("Publishing pauses: {}", reason);
        isStopped(settings.fixedDelay());
    }

    private void serve(Connection connection, GuardedProducer producer)
            throws SQLException, InterruptedException {
        while (!isStopped(Duration.ZERO)) {
            strangers.look(connection).ifPresent(LOG::warn);
            Optional<String> wrong = parts.sit(connection);
            workedOn = parts.held().size();
            wrong.ifPresentOrElse(this::complain, () -> trouble = null);
            int size = parts.held().isEmpty() ? 0 : relay(connection, producer);
            if (size < settings.batchSize()) {
                isStopped(settings.fixedDelay());
            }
        }
    }

    private int relay(Connection connection, GuardedProducer producer)
            throws SQLException, InterruptedException {
        isInHand = true;
        Batch batch = claim(connection);
        long began = System.nanoTime();
        int size = batch.events().size();
        counts.looked(size, batch.events().stream().mapToLong(Claimed::ageMicros).max().orElse(-1));
        producer.begin();
        Answers answers;
        try {
            answers = delivery.send(batch, producer);
        } finally {
            producer.end();
        }
        unmarked = answers;
        if (answers.trouble() != null) {
            brokerTrouble = answers.trouble();
        }
        if (producer.isLost()) {
            throw new SQLException(
                    "the session has ended while %d events were on their way; %d of them have arrived"
                            .formatted(size, answers.done().size()));
        }
        mark(connection, answers);
        if (brokerTrouble == null && size < settings.batchSize()) {
            counts.caughtUp(); // But for what was refused for itself, and waits.
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        if (took.compareTo(settings.slowProcessing()) > 0) {
            LOG.warn("A batch of {} events took {} ms", size, took.toMillis());
        }
        answers.requireProducer();
        return size;
    }

    private Batch claim(Connection connection) throws SQLException {
        int limit = settings.batchSize();
        SortedSet<Integer> inherited = parts.inherited();
        Batch batch =
                claims.claim(connection, settings.totalInstances(), parts.held(), inherited, limit);
        if (batch.events().size() < limit) {
            parts.searched(inherited);
        }
        return batch;
    }

    /// What was published first: the other mark may fail for what it says about an event, and must not have good ones sent again.
    private void mark(Connection connection, Answers answers) throws SQLException {
        try {
            markPublished(connection, answers);
        } catch (SQLException | RuntimeException e) {
            try {
                markFailed(connection, answers);
            } catch (SQLException | RuntimeException also) {
                e.addSuppressed(also); // Of a session that is gone it says no more than that.
            }
            throw e;
        }
        markFailed(connection, answers);
        unmarked = null;
        isInHand = false;
    }

    private void markPublished(Connection connection, Answers answers) throws SQLException {
        if (!answers.done().isEmpty()) {
            counts.published(claims.published(connection, answers.batch(), answers.done()));
            brokerTrouble = null;
        }
    }

    private void markFailed(Connection connection, Answers answers) throws SQLException {
        if (!answers.failed().isEmpty()) {
            claims.failed(connection, answers.batch(), answers.failed());
        }
    }

    private void complain(String reason) {
        if (!reason.equals(trouble)) {
            LOG.atLevel(parts.isStandby() ? Level.INFO : Level.ERROR)
                    .log("Table {}: {}", table.name(), reason);
        }
        trouble = reason;
    }

    private boolean isStopped(Duration wait) throws InterruptedException {
        return stopped.await(wait.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// Finishes the batch that is on its way.
    @Override
    public void close() {
        stopped.countDown();
        try {
            thread.join(settings.timeout().multipliedBy(2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        housekeeping.close();
        metrics.close();
    }
}
