package io.sluice.benchmarks.peer;

import io.sluice.benchmarks.load.Probe;
import java.time.Duration;
import java.util.List;

/// The brokers of one peer that run together, one or a cluster: started, awaited, measured and ended as one.
///
/// Owned by the thread that runs the comparison. Closing it kills what is left.
public final class Brokers implements AutoCloseable {
    private final Peer peer;
    private final Site site;
    private final List<BrokerProcess> processes;
    private final long startedNanos;

    private Brokers(Peer peer, Site site, List<BrokerProcess> processes, long startedNanos) {
        this.peer = peer;
        this.site = site;
        this.processes = processes;
        this.startedNanos = startedNanos;
    }

    /// Starts all of them on a site that was prepared for them, and does not wait.
    public static Brokers start(Peer peer, Site site) {
        long started = System.nanoTime();
        List<BrokerProcess> processes =
                site.places().stream()
                        .map(place -> BrokerProcess.start(peer, site, place))
                        .toList();
        return new Brokers(peer, site, processes, started);
    }

    /// Waits until a message has been acknowledged, in a cluster by its replicas, and returns how long that took from the start of the first process.
    public Duration awaitFirstAcknowledgement(String topic, Duration limit) {
        Probe ready = probe(topic, 0);
        long deadline = startedNanos + limit.toNanos();
        while (!ready.attempt()) {
            processes.forEach(BrokerProcess::requireAlive);
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "%s acknowledged nothing within %s (%s):\n%s"
                                .formatted(
                                        peer.name(),
                                        limit,
                                        ready.lastObstacle(),
                                        processes.getFirst().lastOutput()));
            }
        }
        return Duration.ofNanos(System.nanoTime() - startedNanos);
    }

    /// Waits for what the start commands still do beside the brokers.
    public void awaitBackgroundWork(Duration limit) {
        processes.forEach(broker -> broker.awaitBackgroundWork(limit));
    }

    /// A sign of life of one partition, from whichever broker leads it.
    public Probe probe(String topic, int partition) {
        return new Probe(site.addresses(), topic, partition, site.replicas(), site.minInSync());
    }

    public Peer peer() {
        return peer;
    }

    public Site site() {
        return site;
    }

    public String bootstrap() {
        return site.bootstrap();
    }

    /// The broker with this id, counted from 1.
    public BrokerProcess broker(int id) {
        return processes.get(id - 1);
    }

    public List<BrokerProcess> all() {
        return processes;
    }

    /// What they have used and hold, all their processes together.
    public ProcessUsage usage() {
        return processes.stream()
                .map(BrokerProcess::usage)
                .reduce(ProcessUsage.NONE, ProcessUsage::plus);
    }

    /// Asks them to stop (SIGTERM), one after the other, and returns how long it took.
    public Duration stop() {
        long asked = System.nanoTime();
        processes.forEach(BrokerProcess::stop);
        return Duration.ofNanos(System.nanoTime() - asked);
    }

    /// Kills them (SIGKILL), so that they get no chance to tidy up.
    public void kill() {
        processes.forEach(BrokerProcess::kill);
    }

    @Override
    public void close() {
        processes.forEach(BrokerProcess::close);
    }
}
