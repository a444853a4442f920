package io.sluice.spring.awspring;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/// Offers a refused job again until its executor takes it.
///
/// In Spring Cloud AWS 4.1.0 a refused job keeps its permit for ever. And a pool with queue capacity 0 refuses jobs that are in order: the
/// permit is back a moment before the thread is. The job waits here with its permit, so there are never more of them than permits.
///
/// Thread-safe.
final class PatientExecutor implements TaskExecutor {
    private static final Logger log = LoggerFactory.getLogger(PatientExecutor.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    private final Executor executor;
    private final AtomicLong refused = new AtomicLong();

    PatientExecutor(Executor executor) {
        this.executor = executor;
    }

    /// The application's own.
    Executor executor() {
        return executor;
    }

    /// How many jobs were not taken at once.
    long refused() {
        return refused.get();
    }

    @Override
    public void execute(Runnable job) {
        try {
            executor.execute(job);
        } catch (RejectedExecutionException e) {
            if (isShutDown()) {
                throw e;
            }
            long count = refused.incrementAndGet();
            // Each power of two: seen at once, and no flood.
            if (Long.bitCount(count) == 1) {
                log.warn(
                        "The executor of an @SqsListener refused a job that has a slot ({} so far); it is offered again until it is taken: {}",
                        count,
                        e.toString());
            }
            Thread.ofVirtual().name("sluice-patience").start(() -> offerAgain(job));
        }
    }

    private void offerAgain(Runnable job) {
        Duration pause = FIRST_PAUSE;
        while (!isShutDown()) {
            try {
                Thread.sleep(pause);
                executor.execute(job);
                return;
            } catch (RejectedExecutionException e) {
                pause = pause.multipliedBy(2);
                pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        log.warn(
                "A job was still waiting for its executor when that was shut down; its message comes again after its visibility time-out.");
    }

    private boolean isShutDown() {
        return switch (executor) {
            case ExecutorService service -> service.isShutdown();
            case ThreadPoolTaskExecutor pool -> pool.getThreadPoolExecutor().isShutdown();
            default -> false;
        };
    }
}
