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
import io.sluice.outbox.compat.Claims.Failed;
import io.sluice.outbox.partitions.Housekeeping;
import io.sluice.outbox.publishing.Discarded;
import io.sluice.outbox.publishing.Refusal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The document's relay: claims a batch of its part, sends it, marks it.
///
/// Works on the part that its id names. A part that nobody has worked on for a while, because its instance is dead or was never
/// started, is worked on by whoever sees it first, until its own instance is there. While instances disagree on their total, nobody claims
/// anything: rows would be claimed by two, or by none.
///
/// Thread-safe: its thread is its own; what others may ask is volatile.
public final class CompatRelay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CompatRelay.class);
    private static final Duration ORPHANED = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(60);
    private static final String SILENT =
            "the producer has not answered within its time-outs: its thread has ended, or stands still";

    private final CountedSessions database;
    private final OutboxTable table;
    private final String topic;
    private final Map<String, Object> producerSettings;
    private final CompatSettings settings;
    private final Claims claims;
    private final StaticSeats seats;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;
    private final Housekeeping housekeeping;
    private final RelayMetrics metrics;
    private final RelayCounts counts;
    private final SortedSet<Integer> parts = new TreeSet<>();
    private final Set<Integer> inherited =
            new HashSet<>(); // Not searched yet for what a dead owner has left.
    private final Map<Integer, Long> missingSinceNanos = new HashMap<>();
    private volatile int workedOn;
    private volatile int uncovered;
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
        Duration lease = settings.timeout().multipliedBy(4);
        // Its locks tell that an instance is there; a frozen one, or one whose host is lost, would
        // hold them.
        this.database =
                new CountedSessions(
                        new BoundedSessions(
                                database, lease.plus(settings.fixedDelay()), true, ANSWER));
        this.table = table;
        this.topic = topic;
        this.settings = settings;
        this.producerSettings = new HashMap<>(producer);
        producerSettings.putIfAbsent("linger.ms", 0);
        producerSettings.putIfAbsent("request.timeout.ms", (int) settings.timeout().toMillis() / 2);
        producerSettings.putIfAbsent("delivery.timeout.ms", (int) settings.timeout().toMillis());
        producerSettings.putIfAbsent("max.block.ms", (int) settings.timeout().toMillis());
        requireWithin(lease);
        this.claims = new Claims(table, lease, ANSWER);
        this.seats = new StaticSeats(table);
        // Where compat relays alone run, writers need partitions all the same. How long they are
        // kept is a setting of other modes.
        this.housekeeping = Housekeeping.addingOnly(database, table, lease);
        this.thread = Thread.ofPlatform().name("outbox-compat").unstarted(this::publish);
        this.metrics = new RelayMetrics(registry, table, topic, "relay-" + settings.instanceId());
        this.counts = new RelayCounts(metrics::acknowledged);
    }

    /// How long an event may be on its way; a producer that has not answered then never will.
    private long longestMillis() {
        return settings.timeout().toMillis()
                + millis("max.block.ms")
                + millis("delivery.timeout.ms");
    }

    /// An event that is still on its way when its lease is over is claimed and sent by somebody else.
    private void requireWithin(Duration lease) {
        long longest = longestMillis();
        if (longest > lease.toMillis()) {
            throw new IllegalArgumentException(
                    "max.block.ms=%s, delivery.timeout.ms=%s: with app.outbox.relay.timeoutSeconds=%d an event may be on its way for %d ms, and after %d ms others claim it again; lower them, or raise the time-out"
                            .formatted(
                                    producerSettings.get("max.block.ms"),
                                    producerSettings.get("delivery.timeout.ms"),
                                    settings.timeout().toSeconds(),
                                    longest,
                                    lease.toMillis()));
        }
    }

    private long millis(String setting) {
        return Long.parseLong(String.valueOf(producerSettings.get(setting)));
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
        relay.metrics.watchParts(relay, r -> r.workedOn, r -> r.uncovered);
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

    /// How many instances there are for a table, whether they have their part or wait for it.
    public static int running(Connection connection, OutboxTable table) throws SQLException {
        return new StaticSeats(table).present(connection).size();
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
        Producer<byte[], byte[]> producer = producer();
        try (Connection connection = database.open()) {
            parts.clear();
            inherited.clear();
            claims.connected(connection);
            seats.announce(connection, settings.instanceId(), settings.totalInstances());
            serve(connection, producer);
        } finally {
            Discarded.close(producer);
        }
    }

    private Producer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                producerSettings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private void failed(String reason) throws InterruptedException {
        trouble = reason;
        LOG.warn("Publishing pauses: {}", reason);
        isStopped(settings.fixedDelay());
    }

    private void serve(Connection connection, Producer<byte[], byte[]> producer)
            throws SQLException, InterruptedException {
        while (!isStopped(Duration.ZERO)) {
            boolean isSeated = sit(connection);
            workedOn = parts.size();
            int size = isSeated ? relay(connection, producer) : 0;
            if (size < settings.batchSize()) {
                isStopped(settings.fixedDelay());
            }
        }
    }

    /// @return whether there is a part to work on
    private boolean sit(Connection connection) throws SQLException {
        SortedSet<Integer> totals = seats.totals(connection);
        if (totals.size() > 1) {
            giveBack(connection, new TreeSet<>(parts));
            uncovered = settings.totalInstances();
            complain(
                    "instances disagree: %s is %s, depending on whom you ask (%s); nothing is claimed until all have the same value"
                            .formatted(
                                    CompatSettings.TOTAL_INSTANCES,
                                    totals,
                                    seats.beliefs(connection)));
            return false;
        }
        int own = settings.instanceId();
        if (!parts.contains(own) && !take(connection, own)) {
            uncovered = settings.totalInstances() - seats.covered(connection).size();
            complain(
                    "the part of %s=%d is worked on by another instance; this one waits for it, and takes over if the other dies"
                            .formatted(CompatSettings.INSTANCE_ID, own));
            return false;
        }
        trouble = null;
        adopt(connection);
        return true;
    }

    /// Works for instances that are not there; stops when they are.
    private void adopt(Connection connection) throws SQLException {
        SortedSet<Integer> back = seats.present(connection);
        back.retainAll(parts);
        back.remove(settings.instanceId());
        giveBack(connection, back);
        SortedSet<Integer> covered = seats.covered(connection);
        long now = System.nanoTime();
        for (int part = 0; part < settings.totalInstances(); part++) {
            if (covered.contains(part)) {
                missingSinceNanos.remove(part);
            } else if (now - missingSinceNanos.computeIfAbsent(part, missing -> now)
                            > ORPHANED.toNanos()
                    && take(connection, part)) {
                LOG.warn(
                        "Nobody has {}={}; this instance works for it",
                        CompatSettings.INSTANCE_ID,
                        part);
                covered.add(part);
            }
        }
        uncovered = settings.totalInstances() - covered.size();
    }

    /// @return whether the part is ours now
    private boolean take(Connection connection, int part) throws SQLException {
        boolean isTaken = seats.take(connection, part);
        if (isTaken) {
            parts.add(part);
            inherited.add(part);
        }
        return isTaken;
    }

    private Batch claim(Connection connection) throws SQLException {
        int limit = settings.batchSize();
        Batch batch = claims.claim(connection, settings.totalInstances(), parts, inherited, limit);
        if (batch.events().size() < limit) {
            inherited.clear(); // Nothing is left of what others had claimed.
        }
        return batch;
    }

    private int relay(Connection connection, Producer<byte[], byte[]> producer)
            throws SQLException, InterruptedException {
        Batch batch = claim(connection);
        long began = System.nanoTime(); // With the lease: however long the claim took.
        counts.looked(
                batch.events().size(),
                batch.events().stream().mapToLong(Claimed::ageMicros).max().orElse(-1));
        List<Future<RecordMetadata>> answers = new ArrayList<>();
        for (Claimed event : batch.events()) {
            // With no broker in reach every send would block for the whole time-out, far beyond the
            // lease.
            boolean late = System.nanoTime() - began > settings.timeout().toNanos();
            answers.add(late ? tooLate() : send(producer, event));
        }
        List<Long> done = new ArrayList<>();
        List<Failed> failed = new ArrayList<>();
        int silent = 0;
        for (int i = 0; i < answers.size(); i++) {
            Claimed event = batch.events().get(i);
            try {
                long left =
                        began + TimeUnit.MILLISECONDS.toNanos(longestMillis()) - System.nanoTime();
                answers.get(i).get(Math.max(left, 0), TimeUnit.NANOSECONDS);
                done.add(event.id());
            } catch (TimeoutException e) {
                silent++;
                failed.add(
                        new Failed(event.id(), SILENT, settings.backoff().beyond(event.paused())));
            } catch (ExecutionException e) {
                String cause = String.valueOf(e.getCause());
                LOG.warn("Event {} could not be sent: {}", event.id(), cause);
                Throwable why = Objects.requireNonNullElse(e.getCause(), e);
                if (!(Refusal.of(why) instanceof Refusal.OfRecord)) {
                    brokerTrouble = "broker: " + cause;
                }
                Duration pause = settings.backoff().beyond(event.paused());
                failed.add(new Failed(event.id(), cause, pause));
            }
        }
        mark(connection, batch, done, failed);
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        if (took.compareTo(settings.slowProcessing()) > 0) {
            LOG.warn("A batch of {} events took {} ms", answers.size(), took.toMillis());
        }
        if (silent > 0) {
            // Another producer takes its place.
            throw new IllegalStateException(
                    "broker: %d of %d events: %s".formatted(silent, answers.size(), SILENT));
        }
        return batch.events().size();
    }

    private void mark(Connection connection, Batch batch, List<Long> done, List<Failed> failed)
            throws SQLException {
        if (!failed.isEmpty()) {
            claims.failed(connection, batch, failed);
        }
        if (!done.isEmpty()) {
            claims.published(connection, batch, done);
            counts.published(done.size());
            brokerTrouble = null;
        }
        if (brokerTrouble == null && batch.events().size() < settings.batchSize()) {
            counts.caughtUp(); // But for what was refused for itself, and waits.
        }
    }

    private Future<RecordMetadata> send(Producer<byte[], byte[]> producer, Claimed event) {
        return producer.send(
                record(event),
                (metadata, exception) -> {
                    if (exception == null) {
                        counts.acknowledged(event.ageMicros());
                    }
                });
    }

    private Future<RecordMetadata> tooLate() {
        return CompletableFuture.failedFuture(
                new TimeoutException(
                        "not sent: the batch has already taken longer than timeoutSeconds="
                                + settings.timeout().toSeconds()));
    }

    private void giveBack(Connection connection, SortedSet<Integer> given) throws SQLException {
        for (int part : given) {
            seats.giveBack(connection, part);
            parts.remove(part);
            inherited.remove(part);
        }
    }

    private ProducerRecord<byte[], byte[]> record(Claimed event) {
        var record =
                new ProducerRecord<byte[], byte[]>(
                        topic, Claims.utf8(event.key()), Claims.utf8(event.payload()));
        event.headers().forEach((name, value) -> record.headers().add(name, Claims.utf8(value)));
        record.headers().add("outbox-event-id", Claims.utf8(Long.toString(event.id())));
        return record;
    }

    private void complain(String reason) {
        if (!reason.equals(trouble)) {
            LOG.error("Table {}: {}", table.name(), reason);
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
