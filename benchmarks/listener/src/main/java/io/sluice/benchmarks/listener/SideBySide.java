package io.sluice.benchmarks.listener;

import io.sluice.benchmarks.listener.Subject.Running;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

/// Asks several subjects at the same time, each with a queue of its own on the same server. For jobs that sleep: nobody takes anything away from anybody, and all have
/// the same weather.
final class SideBySide {
    private SideBySide() {}

    /// A subject's place: its queue, and what its jobs count.
    record Place(Subject subject, BenchQueue queue, Jobs jobs) {
        Place(Subject subject, BenchQueue queue) {
            this(subject, queue, new Jobs(queue.received));
        }

        /// As many slots as in the document that it all began with.
        static final int SLOTS = 3;

        /// The same with an empty queue, for a second question.
        Place cleared() {
            queue.purge();
            return new Place(subject, queue);
        }

        /// @param around what stands between the listener and its executor
        Running start(UnaryOperator<Executor> around) {
            return subject.start(queue, jobs, SLOTS, around);
        }
    }

    /// What one subject does.
    @FunctionalInterface
    interface Turn {
        void take(Place place) throws Exception;
    }

    static void ask(List<Subject> subjects, int port, Turn turn) throws Exception {
        List<Future<?>> turns = new ArrayList<>();
        try (var threads = Executors.newFixedThreadPool(subjects.size())) {
            for (Subject subject : subjects) {
                turns.add(
                        threads.submit(
                                () -> {
                                    try (var queue = new BenchQueue(port)) {
                                        turn.take(
                                                new Place(
                                                        subject, queue, new Jobs(queue.received)));
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
