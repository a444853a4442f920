package io.sluice.benchmarks.listener;

import io.awspring.cloud.sqs.MessageExecutionThreadFactory;
import io.awspring.cloud.sqs.config.SqsMessageListenerContainerFactory;
import io.awspring.cloud.sqs.listener.MessageListener;
import io.awspring.cloud.sqs.listener.SqsContainerOptionsBuilder;
import io.awspring.cloud.sqs.listener.SqsMessageListenerContainer;
import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.WorkerPool;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.sqs.SqsSettings;
import io.sluice.listener.sqs.SqsSource;
import io.sluice.spring.awspring.SqsListenerSlots;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/// A way to listen to a queue with so many slots.
enum Subject {
    /// A lane for heavy messages and one for light ones, each with a pool; nothing tuned.
    SLUICE("Sluice") {
        @Override
        Running start(BenchQueue queue, Jobs jobs, int slots, UnaryOperator<Executor> around) {
            var pool = new WorkerPool("heavy", slots);
            var heavy =
                    LaneSettings.lane(
                                    "heavy",
                                    new FixedLimit(slots),
                                    job -> jobs.run(job.message().text()))
                            .on(around.equals(NOTHING) ? pool : around.apply(pool));
            var light =
                    LaneSettings.lane(
                            "light", new FixedLimit(slots), job -> jobs.run(job.message().text()));
            var settings =
                    SqsSettings.of(queue.client, queue.url)
                            .longPoll(LONG_POLL)
                            .dropDeadLetters(true);
            Listener listener =
                    Listener.of(new SqsSource(settings))
                            .lane(heavy)
                            .lane(light)
                            .classify(
                                    message ->
                                            "heavy".equals(message.attributes().get("type"))
                                                    ? "heavy"
                                                    : "light")
                            .start();
            return deadline -> {
                listener.stop(deadline);
                pool.close();
            };
        }
    },

    /// The document's configuration: core = max = 3, queue capacity 0, abort.
    SEED("Spring Cloud AWS, the document's settings") {
        @Override
        Running start(BenchQueue queue, Jobs jobs, int slots, UnaryOperator<Executor> around) {
            ThreadPoolTaskExecutor pool = pool(slots, 0);
            Executor executor = around.apply(pool);
            return spring(queue, jobs, options(slots, executor::execute), false, pool);
        }
    },

    DEFAULT_POOL("Spring Cloud AWS, its own pool") {
        @Override
        Running start(BenchQueue queue, Jobs jobs, int slots, UnaryOperator<Executor> around) {
            return spring(queue, jobs, options(slots, null), false, null);
        }
    },

    /// One per poll where there are few slots, a pool whose queue takes up the race between permit and thread, and time-outs that fit the deadline of a stop.
    TUNED("Spring Cloud AWS, tuned") {
        @Override
        Running start(BenchQueue queue, Jobs jobs, int slots, UnaryOperator<Executor> around) {
            ThreadPoolTaskExecutor pool = pool(slots, slots);
            Executor executor = around.apply(pool);
            int perPoll = slots < 10 ? 1 : 10;
            return spring(
                    queue,
                    jobs,
                    options -> {
                        options.maxConcurrentMessages(slots)
                                .maxMessagesPerPoll(perPoll)
                                .listenerShutdownTimeout(Duration.ofSeconds(4))
                                .acknowledgementShutdownTimeout(Duration.ofSeconds(1))
                                .componentsTaskExecutor(executor::execute);
                    },
                    false,
                    pool);
        }
    },

    DROP_IN("Spring Cloud AWS, the document's settings, with Sluice's slots") {
        @Override
        Running start(BenchQueue queue, Jobs jobs, int slots, UnaryOperator<Executor> around) {
            ThreadPoolTaskExecutor pool = pool(slots, 0);
            Executor executor = around.apply(pool);
            return spring(queue, jobs, options(slots, executor::execute), true, pool);
        }
    };

    static final Duration LONG_POLL = Duration.ofSeconds(2);

    /// Leaves the executor as it is.
    static final UnaryOperator<Executor> NOTHING = executor -> executor;

    /// A listener at work.
    @FunctionalInterface
    interface Running {
        void stop(Duration deadline);
    }

    final String title;

    Subject(String title) {
        this.title = title;
    }

    /// @param around stands between the listener and its threads
    abstract Running start(BenchQueue queue, Jobs jobs, int slots, UnaryOperator<Executor> around);

    private static ThreadPoolTaskExecutor pool(int size, int capacity) {
        var pool = new ThreadPoolTaskExecutor();
        pool.setCorePoolSize(size);
        pool.setMaxPoolSize(size);
        pool.setQueueCapacity(capacity);
        pool.setThreadFactory(new MessageExecutionThreadFactory("bench-"));
        pool.afterPropertiesSet();
        return pool;
    }

    private static Consumer<SqsContainerOptionsBuilder> options(
            int slots, @Nullable TaskExecutor executor) {
        return options -> {
            options.maxConcurrentMessages(slots).maxMessagesPerPoll(slots);
            if (executor != null) {
                options.componentsTaskExecutor(executor);
            }
        };
    }

    private static Running spring(
            BenchQueue queue,
            Jobs jobs,
            Consumer<SqsContainerOptionsBuilder> settings,
            boolean improved,
            @Nullable ThreadPoolTaskExecutor pool) {
        SqsMessageListenerContainerFactory<String> factory =
                SqsMessageListenerContainerFactory.<String>builder()
                        .sqsAsyncClient(queue.async)
                        .configure(
                                options -> {
                                    options.pollTimeout(LONG_POLL);
                                    settings.accept(options);
                                })
                        .messageListener(
                                (MessageListener<String>) message -> jobs.run(message.getPayload()))
                        .build();
        if (improved) {
            SqsListenerSlots.improve(factory);
        }
        SqsMessageListenerContainer<String> container = factory.createContainer(queue.name);
        container.start();
        return deadline -> {
            container.stop();
            if (pool != null) {
                pool.shutdown();
            }
        };
    }
}
