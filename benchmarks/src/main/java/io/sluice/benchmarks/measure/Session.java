package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.peer.BrokerProcess;
import io.sluice.benchmarks.peer.Peer;
import io.sluice.benchmarks.peer.Place;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One broker's turn in a round. At most one process of it runs at any time.
///
/// The measures that only put load on a broker share one process, as a broker in production would live through them; those that are about starting
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
    private final Pace pace;
    private final Consumer<String> progress;
    private volatile @Nullable BrokerProcess running;
    private boolean shared;

    public Session(Peer peer, Path folder, Pace pace, Consumer<String> progress) {
        this.peer = peer;
        this.folder = folder;
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
        BrokerProcess broker = startFresh();
        broker.awaitFirstAcknowledgement(READY_TOPIC, START_LIMIT);
        broker.awaitBackgroundWork(BACKGROUND_LIMIT);
        broker.stop();
    }

    /// What the broker that runs now has used so far; nothing when none does.
    public double brokerCpuSeconds() {
        BrokerProcess current = running;
        return current == null ? 0 : current.usage().cpuSeconds();
    }

    /// The shared broker; started on an empty folder when there is none.
    BrokerProcess broker() {
        BrokerProcess current = running;
        if (current != null && shared) {
            return current;
        }
        BrokerProcess fresh = startFresh();
        fresh.awaitFirstAcknowledgement(READY_TOPIC, START_LIMIT);
        shared = true;
        return fresh;
    }

    /// A new process on an empty folder, not awaited. Ends the one before it.
    BrokerProcess startFresh() {
        endRunning();
        Place place = Place.empty(folder.resolve(peer.name()));
        peer.prepare(place);
        return started(BrokerProcess.start(peer, place));
    }

    /// A new process on the data of one that has ended, not awaited.
    BrokerProcess startAgain(BrokerProcess ended) {
        return started(BrokerProcess.start(peer, ended.place()));
    }

    private BrokerProcess started(BrokerProcess process) {
        running = process;
        shared = false;
        return process;
    }

    private void endRunning() {
        BrokerProcess current = running;
        running = null;
        if (current != null) {
            current.close();
            current.place().delete();
        }
    }

    @Override
    public void close() {
        endRunning();
    }
}
