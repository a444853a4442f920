package io.sluice.outbox;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.sluice.outbox.membership.Destination;
import io.sluice.outbox.membership.Membership;
import io.sluice.outbox.partitions.Housekeeping;
import io.sluice.outbox.reading.Patience;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Publishes the events of an outbox table; as many of them as you like share the work.
///
/// ```java
/// var settings = RelaySettings.of("transfers", Map.of("bootstrap.servers", "localhost:9092"));
/// try (var relay = Relay.start(() -> DriverManager.getConnection(url), settings)) { … }
/// ```
/// Lanes (aggregates by hash) are divided evenly among the relays that are alive; nobody needs to be told how many there are.
///
/// Thread-safe: its threads are its own; started and closed by anybody.
public final class Relay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final Duration TO_STOP = Duration.ofSeconds(15);

    /// Longer than statements take, but for those that are known to have much to read.
    private static final Duration ANSWER = Duration.ofSeconds(30);

    /// A session that is not answered for longer than the lease has lost its seat; the watch waits for two seconds at a time.
    private static final Duration BESIDE_THE_LEASE = Duration.ofSeconds(3);

    private final Waking waking = new Waking();
    private final RelayMetrics metrics;
    private final RelayStatus status;
    private final Membership membership;
    private final Housekeeping housekeeping;
    private final Thread publishing;

    private Relay(
            ConnectionSource given, RelaySettings settings, MeterRegistry registry, Pulse pulse) {
        CountedSessions database =
                new CountedSessions(new BoundedSessions(given, settings.lease(), false, ANSWER));
        ConnectionSource seats =
                new BoundedSessions(
                        given, settings.lease(), false, settings.lease().plus(BESIDE_THE_LEASE));
        metrics = new RelayMetrics(registry, settings.table(), settings.topic(), settings.name());
        status = new RelayStatus(metrics::acknowledged, database::executed);
        membership =
                new Membership(
                        seats,
                        settings.table().name(),
                        settings.name(),
                        new Destination(settings.topic(), settings.guarantee().word()),
                        settings.lease(),
                        waking::ring,
                        pulse::isFelt);
        housekeeping =
                new Housekeeping(given, settings.table(), settings.retention(), settings.lease());
        PublishingLoop loop =
                new PublishingLoop(
                        database, settings, membership, waking, status, housekeeping, pulse);
        publishing = Thread.ofPlatform().name("outbox-publishing").unstarted(() -> publish(loop));
        metrics.watch(status, membership, housekeeping);
    }

    /// Whatever ends the thread, an error of the machine for example, others have to get the lanes.
    private void publish(PublishingLoop loop) {
        try {
            loop.run();
        } catch (Throwable e) {
            try {
                status.failed(e);
                LOG.error("Publishing has ended, and the lanes are given up", e);
            } finally {
                membership.close(); // Also where memory is too short to tell of it.
            }
            throw e;
        }
    }

    /// Without metrics.
    public static Relay start(ConnectionSource database, RelaySettings settings) {
        return start(database, settings, new CompositeMeterRegistry());
    }

    public static Relay start(
            ConnectionSource database, RelaySettings settings, MeterRegistry registry) {
        return start(database, settings, registry, new Pulse(Patience.LONGEST.multipliedBy(2)));
    }

    /// @param pulse of the publishing thread; for tests, which have less time
    static Relay start(
            ConnectionSource database,
            RelaySettings settings,
            MeterRegistry registry,
            Pulse pulse) {
        Relay relay = new Relay(database, settings, registry, pulse);
        relay.publishing.start(); // Takes its seat as soon as it could work.
        relay.housekeeping.start();
        return relay;
    }

    public RelayStatus status() {
        return status;
    }

    /// Whether events flow, and if not, why.
    public Health health() {
        Health flow = Health.of(membership.uncoveredFor(), status.trouble(), status.stopped());
        return membership.disagreement().map(flow::withWarning).orElse(flow);
    }

    /// There may be new events: saves the rest of a pause. For a service that runs the relay in its own process.
    public void ring() {
        waking.ring();
    }

    /// Finishes what is on its way, gives the lanes to the others, leaves.
    @Override
    public void close() {
        waking.stop();
        try {
            publishing.join(TO_STOP);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        housekeeping.close();
        membership.close();
        metrics.close();
    }
}
