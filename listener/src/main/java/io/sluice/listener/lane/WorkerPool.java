package io.sluice.listener.lane;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// A pool of platform threads for heavy work: so many, nothing queued, and one job too many is refused at once (B5).
///
/// A plain pool with queue capacity 0 refuses jobs that are perfectly in order: its thread has told the world that it is done a moment
/// before it is back to take the next job. Here the count of jobs decides, so the queue in front of the threads never holds more than
/// the jobs of that moment.
///
/// Thread-safe.
public final class WorkerPool implements Executor, AutoCloseable {
    private final int size;
    private final AtomicInteger jobs = new AtomicInteger();
    private final ThreadPoolExecutor threads;

    public WorkerPool(String name, int size) {
        if (size < 1) {
            throw new IllegalArgumentException(
                    "Worker pool " + name + " needs at least 1 thread, not " + size);
        }
        this.size = size;
        this.threads =
                new ThreadPoolExecutor(
                        size,
                        size,
                        1,
                        TimeUnit.MINUTES,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().name("sluice-" + name + "-", 0).daemon(true).factory());
        threads.allowCoreThreadTimeOut(true);
    }

    public int size() {
        return size;
    }

    /// @throws RejectedExecutionException when all threads have a job: somebody gave out more slots than there are threads
    @Override
    public void execute(Runnable job) {
        execute(job, () -> {});
    }

    /// Runs the job and, when it no longer counts as one, what follows it on the same thread. A slot that `afterwards` gives back can
    /// be filled at once: its successor finds itself counted in.
    void execute(Runnable job, Runnable afterwards) {
        if (jobs.incrementAndGet() > size) {
            jobs.decrementAndGet();
            throw new RejectedExecutionException("all " + size + " threads of the pool have a job");
        }
        boolean accepted = false;
        try {
            threads.execute(() -> run(job, afterwards));
            accepted = true;
        } finally {
            if (!accepted) {
                jobs.decrementAndGet();
            }
        }
    }

    private void run(Runnable job, Runnable afterwards) {
        try {
            job.run();
        } finally {
            jobs.decrementAndGet();
            afterwards.run();
        }
    }

    /// No further jobs; those that run are not touched.
    @Override
    public void close() {
        threads.shutdown();
    }
}
