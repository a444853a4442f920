package io.sluice.benchmarks.listener;

import io.sluice.benchmarks.listener.Subject.Running;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/// A question, and how one subject answers it in one turn.
enum Measure {
    /// How many of 3 slots are busy on average, with an endless backlog of jobs of 1 to 6 s (or a tenth of it, for a short run).
    BUSY("slots busy, 3 slots, jobs of 1–6 s, endless backlog", "%", true) {
        @Override
        double ask(Subject subject, BenchQueue queue, Pace pace) throws Exception {
            var jobs = new Jobs();
            queue.send(pace.jobs(400), "heavy", pace.millis(1_000), pace.millis(6_000));
            Running running = subject.start(queue, jobs, SLOTS, Subject.NOTHING);
            try {
                Thread.sleep(pace.millis(7_000));
                double busy = 0;
                int looks = pace.looks();
                for (int i = 0; i < looks; i++) {
                    Thread.sleep(LOOK_MILLIS);
                    busy += jobs.running.get();
                }
                return 100 * busy / (looks * (double) SLOTS);
            } finally {
                running.stop(Duration.ofSeconds(10));
            }
        }
    },

    /// How many messages have been received and wait for a thread, at the worst of all looks.
    WAITING("received and not started", "messages", false) {
        @Override
        double ask(Subject subject, BenchQueue queue, Pace pace) throws Exception {
            var jobs = new Jobs();
            int sent = pace.jobs(200);
            queue.send(sent, "heavy", pace.millis(1_000), pace.millis(3_000));
            Running running = subject.start(queue, jobs, SLOTS, Subject.NOTHING);
            try {
                Thread.sleep(pace.millis(3_000));
                int worst = 0;
                for (int i = 0; i < pace.looks() / 5; i++) {
                    Thread.sleep(5 * LOOK_MILLIS);
                    worst = Math.max(worst, waiting(queue, jobs, sent));
                }
                return worst;
            } finally {
                running.stop(Duration.ofSeconds(10));
            }
        }

        /// Twice, and the smaller counts: between two figures of one look the world goes on.
        private int waiting(BenchQueue queue, Jobs jobs, int sent) throws InterruptedException {
            int least = Integer.MAX_VALUE;
            for (int i = 0; i < 2; i++) {
                BenchQueue.Depth depth = queue.depth();
                int deleted = sent - depth.left();
                least =
                        Math.min(
                                least,
                                depth.inFlight()
                                        - jobs.running.get()
                                        - (jobs.done.get() - deleted));
                Thread.sleep(LOOK_MILLIS);
            }
            return Math.max(0, least);
        }
    },

    /// How many of 3 slots no longer work after the executor has refused some jobs.
    LOST("slots lost after forced rejections", "slots", false) {
        @Override
        double ask(Subject subject, BenchQueue queue, Pace pace) throws Exception {
            var jobs = new Jobs();
            var refused = new AtomicInteger();
            var offered = new AtomicInteger();
            int wanted = pace.rejections();
            UnaryOperator<Executor> refusing =
                    executor ->
                            job -> {
                                if (offered.incrementAndGet() % 2 == 0 && refused.get() < wanted) {
                                    refused.incrementAndGet();
                                    throw new RejectedExecutionException("forced");
                                }
                                executor.execute(job);
                            };
            queue.send(3 * wanted, "heavy", 0, 0);
            Running running = subject.start(queue, jobs, SLOTS, refusing);
            try {
                int before = -1;
                // Until all refusals have happened, or nothing happens any more.
                while (refused.get() < wanted && offered.get() != before) {
                    before = offered.get();
                    Thread.sleep(STUCK_MILLIS);
                }
                return SLOTS - most(queue, jobs, pace);
            } finally {
                running.stop(Duration.ofSeconds(10));
            }
        }

        /// The most jobs that run at once now.
        private int most(BenchQueue queue, Jobs jobs, Pace pace) throws InterruptedException {
            queue.client.purgeQueue(request -> request.queueUrl(queue.url));
            queue.send(10 * SLOTS, "heavy", pace.millis(5_000), pace.millis(5_000));
            int most = 0;
            for (int i = 0; i < pace.looks(); i++) {
                Thread.sleep(LOOK_MILLIS);
                most = Math.max(most, jobs.running.get());
            }
            return most;
        }
    },

    /// How much longer light messages take while heavy ones are waiting by the hundred.
    LIGHT("light messages' p99, saturated against idle", "×", false) {
        @Override
        double ask(Subject subject, BenchQueue queue, Pace pace) throws Exception {
            double idle = p99(subject, queue, pace, 0);
            return p99(subject, queue, pace, pace.jobs(400)) / idle;
        }

        private double p99(Subject subject, BenchQueue queue, Pace pace, int heavy)
                throws Exception {
            queue.client.purgeQueue(request -> request.queueUrl(queue.url));
            var jobs = new Jobs();
            queue.send(heavy, "heavy", pace.millis(1_000), pace.millis(6_000));
            Running running = subject.start(queue, jobs, SLOTS, Subject.NOTHING);
            try {
                Thread.sleep(pace.millis(3_000));
                int lights = pace.looks() / 4;
                for (int i = 0; i < lights; i++) {
                    queue.send(1, "light", 0, 0);
                    Thread.sleep(4 * LOOK_MILLIS);
                }
                long end = System.nanoTime() + Duration.ofSeconds(pace.patience()).toNanos();
                while (jobs.latencies.stream().filter(each -> each.type().equals("light")).count()
                                < lights
                        && System.nanoTime() - end < 0) {
                    Thread.sleep(LOOK_MILLIS);
                }
                boolean all =
                        jobs.latencies.stream().filter(each -> each.type().equals("light")).count()
                                == lights;
                // Those that have not come by then have taken at least that long.
                return all ? jobs.p99("light") : pace.patience() * 1_000.0;
            } finally {
                running.stop(Duration.ofSeconds(10));
            }
        }
    },

    /// How long a stop takes in the middle of jobs that are longer than its deadline of 5 s, and
    SHUTDOWN("shutdown in the middle of long jobs, deadline 5 s", "s", false) {
        @Override
        double ask(Subject subject, BenchQueue queue, Pace pace) throws Exception {
            Running running = inTheMiddleOfJobs(subject, queue);
            long began = System.nanoTime();
            running.stop(Duration.ofSeconds(5));
            return (System.nanoTime() - began) / 1e9;
        }
    },

    /// how many messages it leaves in flight to nobody.
    ORPHANS("messages in flight to nobody after that", "messages", false) {
        @Override
        double ask(Subject subject, BenchQueue queue, Pace pace) throws Exception {
            Running running = inTheMiddleOfJobs(subject, queue);
            running.stop(Duration.ofSeconds(5));
            return queue.depth().inFlight();
        }
    },

    /// The time of a trivial message, against a loop of receive and delete with nothing in between.
    OVERHEAD("time per trivial message against a bare SDK loop", "×", false) {
        @Override
        double ask(Subject subject, BenchQueue queue, Pace pace) throws Exception {
            int count = pace.jobs(4_000);
            queue.send(count, "light", 0, 0);
            double bare = bareLoop(queue, count);
            queue.send(count, "light", 0, 0);
            var jobs = new Jobs();
            long began = System.nanoTime();
            Running running = subject.start(queue, jobs, 10, Subject.NOTHING);
            try {
                while (jobs.done.get() < count || queue.depth().left() > 0) {
                    Thread.sleep(5);
                }
                return (System.nanoTime() - began) / bare;
            } finally {
                running.stop(Duration.ofSeconds(10));
            }
        }

        private double bareLoop(BenchQueue queue, int count) {
            long began = System.nanoTime();
            int done = 0;
            while (done < count) {
                var messages =
                        queue.client
                                .receiveMessage(
                                        request ->
                                                request.queueUrl(queue.url).maxNumberOfMessages(10))
                                .messages();
                if (!messages.isEmpty()) {
                    queue.client.deleteMessageBatch(
                            request -> request.queueUrl(queue.url).entries(BareLoop.of(messages)));
                    done += messages.size();
                }
            }
            return System.nanoTime() - began;
        }
    };

    private static final int SLOTS = 3;
    private static final int LOOK_MILLIS = 50;
    private static final int STUCK_MILLIS = 3_000;

    final String title;
    final String unit;
    final boolean moreIsBetter;

    Measure(String title, String unit, boolean moreIsBetter) {
        this.title = title;
        this.unit = unit;
        this.moreIsBetter = moreIsBetter;
    }

    abstract double ask(Subject subject, BenchQueue queue, Pace pace) throws Exception;

    private static Running inTheMiddleOfJobs(Subject subject, BenchQueue queue)
            throws InterruptedException {
        var jobs = new Jobs();
        queue.send(10, "heavy", 30_000, 30_000);
        Running running = subject.start(queue, jobs, SLOTS, Subject.NOTHING);
        while (jobs.running.get() < SLOTS) {
            Thread.sleep(LOOK_MILLIS);
        }
        return running;
    }
}
