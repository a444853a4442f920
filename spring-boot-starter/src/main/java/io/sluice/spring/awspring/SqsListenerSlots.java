package io.sluice.spring.awspring;

import io.awspring.cloud.sqs.config.SqsMessageListenerContainerFactory;
import io.awspring.cloud.sqs.listener.ContainerOptions;
import io.awspring.cloud.sqs.listener.SqsContainerOptionsBuilder;
import io.awspring.cloud.sqs.listener.backpressure.BackPressureHandler;
import io.awspring.cloud.sqs.listener.backpressure.BackPressureHandlerFactory;
import io.sluice.spring.ListenerConfigurationException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/// Changes the container factories of Spring Cloud AWS so that their slots are neither lost nor left idle.
///
/// | Spring Cloud AWS 4.1.0 | with this |
/// | --- | --- |
/// | a job that the executor refuses keeps its permit for ever | it is offered again until it is taken |
/// | a freed slot waits up to ten seconds for enough others to fill a poll | is polled for at once |
/// | an executor smaller than `maxConcurrentMessages` is accepted | is refused at start |
///
/// What its interfaces leave no room for, and a [io.sluice.spring.SluiceListener] has: leases that are renewed while a job runs, lanes, limits that
/// find themselves, dead letters by kind of exception, a stop that hands back.
///
/// Without Spring Boot: `SqsListenerSlots.improve(factory)`.
///
/// Immutable.
public final class SqsListenerSlots implements BackPressureHandlerFactory, BeanPostProcessor {
    /// Changes a factory made by hand.
    public static void improve(SqsMessageListenerContainerFactory<?> factory) {
        factory.configure(new SqsListenerSlots()::improve);
    }

    private void improve(SqsContainerOptionsBuilder options) {
        options.backPressureHandlerFactory(this);
        TaskExecutor executor = executorOf(options);
        if (executor != null && !(executor instanceof PatientExecutor)) {
            options.componentsTaskExecutor(new PatientExecutor(executor));
        }
    }

    /// The builder does not tell; what it builds does. The numbers in it may be wrong together as long as an annotation is going to change them.
    private static @Nullable TaskExecutor executorOf(SqsContainerOptionsBuilder options) {
        return options.createCopy()
                .maxConcurrentMessages(1)
                .maxMessagesPerPoll(1)
                .build()
                .getComponentsTaskExecutor();
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof SqsMessageListenerContainerFactory<?> factory) {
            factory.configure(this::improve);
        }
        return bean;
    }

    @Override
    public BackPressureHandler createBackPressureHandler(ContainerOptions<?, ?> options) {
        int slots = options.getMaxConcurrentMessages();
        if (options.getComponentsTaskExecutor() instanceof PatientExecutor executor) {
            requireThreads(executor.executor(), slots);
        }
        return new SlotsBackPressureHandler(
                slots, options.getMaxMessagesPerPoll(), options.getMaxDelayBetweenPolls());
    }

    private static void requireThreads(Executor executor, int slots) {
        if (executor instanceof ThreadPoolTaskExecutor pool) {
            // A pool with a queue has more than its core threads only when that queue is full.
            boolean queues = pool.getQueueCapacity() > 0;
            int threads = queues ? pool.getCorePoolSize() : pool.getMaxPoolSize();
            if (threads < slots) {
                throw new ListenerConfigurationException(
                        "The executor's %s=%d is smaller than maxConcurrentMessages=%d: messages would be received and wait for a thread inside the process."
                                .formatted(queues ? "corePoolSize" : "maxPoolSize", threads, slots),
                        "Raise the first or lower the second.");
            }
        }
    }
}
