package io.sluice.spring;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.WorkerPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Phaser;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/// The application's listeners: started last and stopped first, all at the same time, within the deadline.
///
/// ```
///  context refreshed ──▶ RUNNING ──▶ context closes: each stops receiving, jobs end or go back ──▶ web server, connection pools …
/// ```
/// Thread-safe.
public final class Listeners implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(Listeners.class);

    private final ListenerAssembly assembly;
    private final boolean enabled;
    private final Duration deadline;
    private final int phase;
    private final Map<String, Listener> running = new LinkedHashMap<>();
    private final List<LaneSettings> lanes = new ArrayList<>();

    Listeners(ListenerAssembly assembly, boolean enabled, Duration deadline, int phase) {
        this.assembly = assembly;
        this.enabled = enabled;
        this.deadline = deadline;
        this.phase = phase;
    }

    /// Those that run, by their source's name.
    public synchronized Map<String, Listener> running() {
        return Map.copyOf(running);
    }

    public Listener require(String source) {
        Map<String, Listener> all = running();
        Listener listener = all.get(source);
        if (listener == null) {
            throw new IllegalArgumentException(
                    "There is no listener for %s, only for %s.".formatted(source, all.keySet()));
        }
        return listener;
    }

    @Override
    public boolean isAutoStartup() {
        return enabled;
    }

    @Override
    public int getPhase() {
        return phase;
    }

    @Override
    public synchronized void start() {
        if (!running.isEmpty()) {
            return;
        }
        List<ListenerAssembly.Prepared> prepared = assembly.prepare();
        try {
            for (ListenerAssembly.Prepared each : prepared) {
                lanes.addAll(each.lanes());
                running.put(each.source(), each.start());
            }
        } catch (RuntimeException e) {
            // One that cannot start must not leave others running in an application that fails.
            stop();
            throw e;
        }
    }

    @Override
    public void stop() {
        Map<String, Listener> stopping = running();
        var left = new Phaser(1);
        stopping.forEach(
                (source, listener) -> {
                    left.register();
                    Thread.ofVirtual()
                            .name("sluice-stop-" + source)
                            .start(() -> stop(source, listener, left));
                });
        left.arriveAndAwaitAdvance();
        synchronized (this) {
            running.clear();
            lanes.forEach(Listeners::closeThreads);
            lanes.clear();
        }
    }

    private void stop(String source, Listener listener, Phaser left) {
        try {
            if (!listener.stop(deadline)) {
                log.warn(
                        "{}: some jobs did not end within {}; their messages went back.",
                        source,
                        deadline);
            }
        } catch (RuntimeException e) {
            log.error("{} did not stop well.", source, e);
        } finally {
            left.arriveAndDeregister();
        }
    }

    private static void closeThreads(LaneSettings lane) {
        if (lane.executor() instanceof WorkerPool pool) {
            pool.close();
        }
    }

    @Override
    public void stop(Runnable callback) {
        Thread.ofVirtual()
                .name("sluice-stop")
                .start(
                        () -> {
                            try {
                                stop();
                            } finally {
                                callback.run();
                            }
                        });
    }

    @Override
    public synchronized boolean isRunning() {
        return !running.isEmpty();
    }
}
