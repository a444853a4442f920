package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.peer.Brokers;
import io.sluice.benchmarks.peer.Peer;
import io.sluice.benchmarks.peer.Site;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One peer's turn in a round: one broker, or a cluster. At most one of it runs at any time.
///
/// The measures that only put load on it share its processes, as a broker in production would live through them; those that are about starting
/// and stopping take fresh ones.
///
/// Owned by the thread that runs the comparison; [#close] may come from the shutdown hook.
public final class Session implements AutoCloseable {
    static final Duration START_LIMIT = Duration.ofMinutes(5);
    private static final Duration SETTLE_LIMIT = Duration.ofMinutes(3);
    private static final Duration BACKGROUND_LIMIT = Duration.ofMinutes(1);
    static final String READY_TOPIC = "bench-ready";

    private final Peer peer;
    private final Path folder;
    private final int nodes;
    private final Pace pace;
    private final Consumer<String> progress;
    private volatile @Nullable Brokers running;
    private boolean shared;

    public Session(Peer peer, Path folder, int nodes, Pace pace, Consumer<String> progress) {
        this.peer = peer;
        this.folder = folder;
        this.nodes = nodes;
        this.pace = pace;
        this.progress = progress;
    }

    public Pace pace() {
        return pace;
    }

    void say(String line) {
        progress.accept(line);
    }

    /// Lets the machine write what is still only in its memory: the gigabytes of the load before must not be in the way of this one's fsyncs.
    void settleDisk() {
        try {
            Process sync = new ProcessBuilder("sync").inheritIO().start();
            if (!sync.waitFor(SETTLE_LIMIT)) {
                sync.destroy();
                say("the disk is still busy after " + SETTLE_LIMIT.toSeconds() + " s");
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot run 'sync'", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the disk settled", interrupted);
        }
    }

    /// One start, first message and stop that nobody measures.
    public void startAndStop() {
        Brokers brokers = startFresh();
        brokers.awaitFirstAcknowledgement(READY_TOPIC, START_LIMIT);
        brokers.awaitBackgroundWork(BACKGROUND_LIMIT);
        end(brokers);
    }

    /// Lets them go: a single broker has to show that it stops when it is asked to, a cluster that stops as a whole would wait for the others in vain.
    void end(Brokers brokers) {
        if (brokers.site().isCluster()) {
            brokers.kill();
        } else {
            brokers.stop();
        }
    }

    /// What runs now has used so far; nothing when nothing does.
    public double brokerCpuSeconds() {
        Brokers current = running;
        return current == null ? 0 : current.usage().cpuSeconds();
    }

    /// The shared brokers; started on empty folders when there are none.
    Brokers brokers() {
        Brokers current = running;
        if (current != null && shared) {
            return current;
        }
        Brokers fresh = startFresh();
        fresh.awaitFirstAcknowledgement(READY_TOPIC, START_LIMIT);
        shared = true;
        return fresh;
    }

    /// Those that run now are shared by the measures to come.
    void share() {
        shared = true;
    }

    /// New processes on empty folders, not awaited. Ends those before them.
    Brokers startFresh() {
        endRunning();
        Site site = Site.empty(folder, peer.name(), nodes);
        peer.prepare(site);
        return started(Brokers.start(peer, site));
    }

    /// New processes on the data of some that have ended, not awaited.
    Brokers startAgain(Brokers ended) {
        return started(Brokers.start(peer, ended.site()));
    }

    private Brokers started(Brokers brokers) {
        running = brokers;
        shared = false;
        return brokers;
    }

    private void endRunning() {
        Brokers current = running;
        running = null;
        if (current != null) {
            current.close();
            current.site().delete();
        }
    }

    @Override
    public void close() {
        endRunning();
    }
}
