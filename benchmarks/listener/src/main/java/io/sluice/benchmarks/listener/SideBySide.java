package io.sluice.benchmarks.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Asks several subjects at the same time, each with a queue of its own on the same server. For jobs that sleep: nobody takes anything away from anybody, and all have
/// the same weather.
final class SideBySide {
    private SideBySide() {}

    /// What one subject does.
    @FunctionalInterface
    interface Turn {
        void take(Subject subject, BenchQueue queue) throws Exception;
    }

    static void ask(List<Subject> subjects, int port, Turn turn) throws Exception {
        List<Future<?>> turns = new ArrayList<>();
        try (var threads = Executors.newFixedThreadPool(subjects.size())) {
            for (Subject subject : subjects) {
                turns.add(
                        threads.submit(
                                () -> {
                                    try (var queue = new BenchQueue(port)) {
                                        turn.take(subject, queue);
                                    }
                                    return subject;
                                }));
            }
            for (Future<?> each : turns) {
                var _ = each.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("A subject's turn failed.", e.getCause());
        }
    }
}
