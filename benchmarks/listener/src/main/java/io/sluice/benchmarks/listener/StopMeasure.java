package io.sluice.benchmarks.listener;

import io.sluice.benchmarks.listener.Subject.Running;
import java.time.Duration;
import java.util.List;

/// A stop in the middle of jobs, some just done, some much longer than its deadline: how long it takes, and what it leaves behind.
final class StopMeasure implements Measure {
    private static final int SLOTS = 3;
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    @Override
    public String name() {
        return "stop";
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public void take(int port, Pace pace, Results results) throws Exception {
        SideBySide.ask(
                List.of(Subject.values()),
                port,
                (subject, queue) -> {
                    var jobs = new Jobs(queue.received);
                    int sent = 0;
                    for (int i = 0; i < 10; i++) {
                        queue.send(2, "heavy", 300, 300);
                        queue.send(1, "heavy", 60_000, 60_000);
                        sent += 3;
                    }
                    Running running = subject.start(queue, jobs, SLOTS, Subject.NOTHING);
                    long patience = System.nanoTime() + Duration.ofSeconds(60).toNanos();
                    while (jobs.running.get() < SLOTS || jobs.done.get() < 2) {
                        if (System.nanoTime() - patience > 0) {
                            break;
                        }
                        Thread.sleep(10);
                    }
                    long began = System.nanoTime();
                    running.stop(DEADLINE);
                    results.add(Row.STOP, subject, (System.nanoTime() - began) / 1e9);
                    BenchQueue.Depth depth = queue.depth();
                    results.add(Row.ORPHANS, subject, depth.inFlight());
                    int deleted = sent - depth.left();
                    results.add(Row.AGAIN, subject, Math.max(0, jobs.done.get() - deleted));
                });
    }
}
