package io.sluice.spring.awspring;

import static io.sluice.spring.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.awspring.cloud.sqs.MessageExecutionThreadFactory;
import io.awspring.cloud.sqs.config.SqsMessageListenerContainerFactory;
import io.awspring.cloud.sqs.listener.MessageListener;
import io.awspring.cloud.sqs.listener.SqsMessageListenerContainer;
import io.sluice.spring.QueueServer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.TaskExecutor;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;

/// Spring Cloud AWS 4.1.0 with the document's configuration (3 slots, queue capacity 0, abort), as it is and with our handler.
@Timeout(180)
class SqsListenerSlotsTest {
    private static final QueueServer server = new QueueServer();
    private static final SqsAsyncClient async =
            SqsAsyncClient.builder()
                    .endpointOverride(server.endpoint)
                    .region(Region.US_EAST_1)
                    .credentialsProvider(QueueServer.credentials())
                    .build();
    private static final int MESSAGES = 30;

    private final ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();
    private final ThreadPoolTaskExecutor pool = pool(3, 0);
    private final SometimesRefusing executor = new SometimesRefusing(pool);

    @AfterAll
    static void stop() {
        async.close();
        server.close();
    }

    @AfterEach
    void shutDown() {
        pool.shutdown();
    }

    /// Refuses every fourth job once, as a pool does whose thread is not yet back although its permit is.
    private static final class SometimesRefusing implements TaskExecutor {
        private final TaskExecutor executor;
        final AtomicInteger offered = new AtomicInteger();
        final AtomicInteger refused = new AtomicInteger();

        SometimesRefusing(TaskExecutor executor) {
            this.executor = executor;
        }

        @Override
        public void execute(Runnable job) {
            if (offered.incrementAndGet() % 4 == 0) {
                refused.incrementAndGet();
                throw new TaskRejectedException("all threads are busy, they say");
            }
            executor.execute(job);
        }
    }

    private static ThreadPoolTaskExecutor pool(int size, int capacity) {
        var pool = new ThreadPoolTaskExecutor();
        pool.setCorePoolSize(size);
        pool.setMaxPoolSize(size);
        pool.setQueueCapacity(capacity);
        pool.setThreadFactory(new MessageExecutionThreadFactory("listener-"));
        pool.afterPropertiesSet();
        return pool;
    }

    private SqsMessageListenerContainerFactory<String> factory(TaskExecutor threads) {
        return SqsMessageListenerContainerFactory.<String>builder()
                .sqsAsyncClient(async)
                .configure(
                        options ->
                                options.maxConcurrentMessages(3)
                                        .maxMessagesPerPoll(3)
                                        .pollTimeout(Duration.ofSeconds(1))
                                        .maxDelayBetweenPolls(Duration.ofMillis(100))
                                        .listenerShutdownTimeout(Duration.ofSeconds(2))
                                        .acknowledgementShutdownTimeout(Duration.ofSeconds(2))
                                        .componentsTaskExecutor(threads))
                .messageListener(
                        (MessageListener<String>) message -> done.add(message.getPayload()))
                .build();
    }

    private static String queueWithMessages(String name) {
        String url = server.create(name);
        for (int i = 0; i < MESSAGES; i++) {
            server.send(url, "m" + i, Map.of());
        }
        return url;
    }

    @Test
    @DisplayName("B5: without us each refused job costs a slot, until nothing is received any more")
    void withoutUsSlotsAreLost() throws Exception {
        String url = queueWithMessages("leaks");
        SqsMessageListenerContainer<String> container = factory(executor).createContainer("leaks");
        container.start();
        try {
            until("three refusals", () -> executor.refused.get() == 3);
            int offered = executor.offered.get();
            Thread.sleep(2_000);
            assertThat(executor.offered).as("the end of all work").hasValue(offered);
            assertThat(done).hasSizeLessThan(MESSAGES);
            assertThat(server.left(url)).isPositive();
        } finally {
            container.stop();
        }
    }

    @Test
    @DisplayName("B5: with us every job is done, however often it is refused, and no slot is lost")
    void withUsNoSlotIsLost() throws Exception {
        String url = queueWithMessages("keeps");
        SqsMessageListenerContainerFactory<String> factory = factory(executor);
        SqsListenerSlots.improve(factory);
        SqsMessageListenerContainer<String> container = factory.createContainer("keeps");
        container.start();
        try {
            until("all", () -> done.size() == MESSAGES);
            assertThat(executor.refused.get()).isGreaterThan(3);
            assertThat(done).doesNotHaveDuplicates();
            until("acknowledged", () -> server.left(url) == 0);
        } finally {
            container.stop();
        }
    }

    @Test
    void aPoolSmallerThanItsSlotsIsRefusedAtStart() {
        server.create("small");
        ThreadPoolTaskExecutor small = pool(2, 0);
        try {
            SqsMessageListenerContainerFactory<String> factory = factory(small);
            SqsListenerSlots.improve(factory);
            SqsMessageListenerContainer<String> container = factory.createContainer("small");
            assertThatThrownBy(container::start)
                    .hasMessageContaining("maxPoolSize=2")
                    .hasMessageContaining("maxConcurrentMessages=3");
        } finally {
            small.shutdown();
        }
    }

    @Test
    void factoriesOfAnApplicationAreChanged() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SqsListenerAutoConfiguration.class))
                .withBean(SqsMessageListenerContainerFactory.class, () -> factory(pool))
                .run(
                        context -> {
                            var container =
                                    (SqsMessageListenerContainer<?>)
                                            context.getBean(
                                                            SqsMessageListenerContainerFactory
                                                                    .class)
                                                    .createContainer("any");
                            var options = container.getContainerOptions();
                            assertThat(options.getBackPressureHandlerFactory())
                                    .isInstanceOf(SqsListenerSlots.class);
                            assertThat(options.getComponentsTaskExecutor())
                                    .isInstanceOf(PatientExecutor.class);
                        });
    }
}
