package io.sluice.outbox.bench.stage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/// Writers that commit events at a steady rate, one per transaction, and note when each commit had returned.
///
/// Thread-safe: a thread per writer; each key belongs to one of them, so the order of a key is known.
public final class SteadyLoad {
    private static final int WRITERS = 4;
    private static final int KEYS = 1_000;

    private final Scene scene;
    private final int rate;
    private final int total;
    private final AtomicLongArray committedAtNanos;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean failed;

    private SteadyLoad(Scene scene, int rate, int seconds) {
        this.scene = scene;
        this.rate = rate;
        this.total = rate * seconds;
        this.committedAtNanos = new AtomicLongArray(total);
    }

    public static SteadyLoad start(Scene scene, int rate, int seconds) {
        SteadyLoad load = new SteadyLoad(scene, rate, seconds);
        long began = System.nanoTime();
        for (int writer = 0; writer < WRITERS; writer++) {
            int first = writer;
            load.threads.add(Thread.ofPlatform().daemon().start(() -> load.write(first, began)));
        }
        return load;
    }

    public int total() {
        return total;
    }

    private void write(int first, long began) {
        try (Connection connection = scene.open();
                PreparedStatement insert =
                        connection.prepareStatement(
                                "INSERT INTO transfer_events (aggregate_id, payload) VALUES (?, ?)")) {
            String filler = "|" + "x".repeat(287);
            for (int id = first; id < total; id += WRITERS) {
                long due = began + id * 1_000_000_000L / rate;
                long wait = due - System.nanoTime();
                if (wait > 0) {
                    LockSupport.parkNanos(wait);
                }
                insert.setString(1, "account-" + id % KEYS);
                insert.setString(2, "%012d".formatted(id) + filler);
                insert.executeUpdate();
                committedAtNanos.set(id, System.nanoTime());
            }
        } catch (SQLException e) {
            failed = true;
            throw new IllegalStateException(e);
        }
    }

    public void join() {
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        if (failed) {
            throw new IllegalStateException("a writer failed");
        }
    }

    /// From the return of COMMIT to the consumer, in microseconds; events that were pushed before COMMIT returned took no time.
    public long latencyMicros(int id, Observer observer) {
        return Math.max(0, (observer.arrivedAtNanos(id) - committedAtNanos.get(id)) / 1_000);
    }

    public long committedAtNanos(int id) {
        return committedAtNanos.get(id);
    }
}
