package io.sluice.benchmarks.peer;

import io.sluice.benchmarks.load.Probe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// One running broker: a process tree, because the start command may be a script.
///
/// Owned by the thread that runs the comparison. Closing it kills what is left of it.
public final class BrokerProcess implements AutoCloseable {
    private static final Duration STOP_LIMIT = Duration.ofMinutes(5);
    private static final int TAIL_LINES = 40;

    private final Peer peer;
    private final Place place;
    private final Process process;
    private final long startedNanos;
    private final ProcFiles procFiles = ProcFiles.ofThisMachine();

    private BrokerProcess(Peer peer, Place place, Process process, long startedNanos) {
        this.peer = peer;
        this.place = place;
        this.process = process;
        this.startedNanos = startedNanos;
    }

    /// Starts the broker on a place that was prepared for it, and does not wait.
    public static BrokerProcess start(Peer peer, Place place) {
        ProcessBuilder builder =
                new ProcessBuilder(peer.startCommand(place))
                        .directory(place.folder().toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(Redirect.appendTo(place.output().toFile()));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        long started = System.nanoTime();
        try {
            return new BrokerProcess(peer, place, builder.start(), started);
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot start " + peer.name(), failure);
        }
    }

    /// Waits until a message has been acknowledged and returns how long that took from the start of the process.
    public Duration awaitFirstAcknowledgement(String topic, Duration limit) {
        Probe ready = new Probe(place.address(), topic, 0);
        long deadline = startedNanos + limit.toNanos();
        while (!ready.attempt()) {
            if (!process.isAlive()) {
                throw new IllegalStateException(
                        peer.name() + " ended with " + process.exitValue() + ":\n" + lastOutput());
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "%s acknowledged nothing within %s (%s):\n%s"
                                .formatted(peer.name(), limit, ready.lastObstacle(), lastOutput()));
            }
        }
        return Duration.ofNanos(System.nanoTime() - startedNanos);
    }

    /// Waits for what the start command still does beside the broker: Sluice's first start trains the AOT cache of all later ones, and a stop
    /// would end that, too. Where the broker itself is such a child, nothing ends, and the limit is all there is to wait for.
    public void awaitBackgroundWork(Duration limit) {
        CompletableFuture<?>[] children =
                process.descendants()
                        .map(ProcessHandle::onExit)
                        .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(children)
                .completeOnTimeout(null, limit.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    public Peer peer() {
        return peer;
    }

    public Place place() {
        return place;
    }

    public String bootstrap() {
        return place.bootstrap();
    }

    /// What the broker has used and holds, all its processes together.
    public ProcessUsage usage() {
        return processes()
                .map(handle -> procFiles.usage(handle.pid()))
                .reduce(ProcessUsage.NONE, ProcessUsage::plus);
    }

    /// Asks it to stop (SIGTERM) and returns how long it took.
    public Duration stop() {
        List<ProcessHandle> all = processes().toList();
        long asked = System.nanoTime();
        // The whole tree, children first: a script that did not hand its process over would leave
        // its broker behind.
        all.reversed().forEach(ProcessHandle::destroy);
        awaitEnd(all, STOP_LIMIT);
        return Duration.ofNanos(System.nanoTime() - asked);
    }

    /// Kills it (SIGKILL), so that it gets no chance to tidy up.
    public void kill() {
        List<ProcessHandle> all = processes().toList();
        all.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(all, STOP_LIMIT);
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }

    /// The process that was started and all that it started.
    Stream<ProcessHandle> processes() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants());
    }

    private void awaitEnd(List<ProcessHandle> all, Duration limit) {
        try {
            for (ProcessHandle handle : all) {
                handle.onExit().get(limit.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a broker stopped", interrupted);
        } catch (java.util.concurrent.ExecutionException
                | java.util.concurrent.TimeoutException failure) {
            throw new IllegalStateException(
                    peer.name() + " did not stop within " + limit + ":\n" + lastOutput(), failure);
        }
    }

    private String lastOutput() {
        Path output = place.output();
        try {
            List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
            return String.join(
                    "\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (IOException unreadable) {
            return "(no output in " + output + ")";
        }
    }
}
