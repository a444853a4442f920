package io.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/// Settings that are right by themselves and wrong together refuse the start, with both names.
class ContradictionsTest {
    static class Worker {
        @SluiceListener(queue = "documents", lane = "label", limit = "3")
        void label(String text) {}

        @SluiceListener(queue = "documents", lane = "failed")
        void failed(String text) {}
    }

    static class Twice {
        @SluiceListener(queue = "documents")
        void one(String text) {}

        @SluiceListener(queue = "documents")
        void two(String text) {}
    }

    static class Neither {
        @SluiceListener(lane = "label")
        void one(String text) {}
    }

    static class Returns {
        @SluiceListener(queue = "documents")
        String one(String text) {
            return text;
        }
    }

    static class Elsewhere {
        @Async
        @SluiceListener(queue = "documents")
        void one(String text) {}
    }

    static class OfTopic {
        @SluiceListener(topic = "orders")
        void one(String text) {}
    }

    private static final String SOURCE = "sluice.listener.sources.documents.";

    private static ApplicationContextRunner application(Class<?> worker, String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SluiceListenerAutoConfiguration.class))
                .withBean(worker)
                .withPropertyValues(properties);
    }

    @DisplayName("B5: an executor smaller than the limit, and other pairs, are named at start")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    lanes.label.pool-size=2 | label.pool-size=2 is smaller than | label.greatest=3
                    lanes.label.greatest=2 | label.greatest=2 is smaller than | label.limit=3
                    lanes.label.limit=0 | label.limit=0 leaves no slot | at least 1
                    lanes.label.policy=plateau-cpu,lanes.label.threads=virtual | threads=virtual contradicts | policy=plateau-cpu
                    lanes.label.pool-size=9,lanes.label.threads=virtual | threads=virtual contradicts | pool-size=9
                    lanes.lable.limit=3 | names the lanes [lable] | the lanes [failed, label]
                    lane-otherwise=other | names the lanes [other] | the lanes [failed, label]
                    lane-from-json=/type | lane-from-attribute=type contradicts | lane-from-json=/type
                    lease=1h,longest-job=1m | longest-job=PT1M is shorter than | lease=PT1H
                    long-poll=21s | long-poll=PT21S is longer than SQS | at most 20s
                    share-group=true | share-group=true is about topics | documents is a queue
                    group=workers | group=workers is about topics | documents is a queue
                    lanes.label.order=key | label.order=key contradicts | which is not FIFO
                    """)
    void thePairIsNamed(String properties, String first, String second) {
        String[] all =
                (SOURCE
                                + "lane-from-attribute=type,"
                                + SOURCE
                                + properties.replace(",", "," + SOURCE))
                        .split(",");
        application(Worker.class, all)
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .isInstanceOf(ListenerConfigurationException.class)
                                        .hasMessageContaining(first)
                                        .hasMessageContaining(second));
    }

    @DisplayName("B4: what would bring more than there are slots for, or be ignored on a topic")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    sluice.listener.kafka.client.max.poll.records=500 | kafka.client: max.poll.records=500 would bring records that no slot waits for
                    sluice.listener.kafka.client.enable.auto.commit=true | kafka.client: enable.auto.commit=true would commit
                    sluice.listener.sources.orders.dead-letters=my-dlq | orders.dead-letters=my-dlq is about queues, but orders is a topic
                    sluice.listener.sources.orders.drop-dead-letters=true | orders.drop-dead-letters=true is about queues
                    sluice.listener.sources.orders.lease=1m | orders.lease=PT1M is about queues
                    sluice.listener.sources.orders.long-poll=5s | orders.long-poll=PT5S is about queues
                    """)
    void whatIsWrongOnATopicIsNamed(String property, String named) {
        application(
                        OfTopic.class,
                        "spring.application.name=shop",
                        "spring.kafka.bootstrap-servers=localhost:1",
                        property)
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .isInstanceOf(ListenerConfigurationException.class)
                                        .hasMessageContaining(named));
    }

    @ParameterizedTest
    @ValueSource(strings = {"batch_optimized", "implicit"})
    void aShareGroupIsReadRecordByRecord(String mode) {
        String name = mode.equals("implicit") ? "share.acknowledgement.mode" : "share.acquire.mode";
        application(
                        OfTopic.class,
                        "spring.application.name=shop",
                        "spring.kafka.bootstrap-servers=localhost:1",
                        "sluice.listener.sources.orders.share-group=true",
                        "sluice.listener.kafka.client." + name + "=" + mode)
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .isInstanceOf(ListenerConfigurationException.class)
                                        .hasMessageContaining(name + "=" + mode));
    }

    @Test
    @DisplayName("B4: a pool with a queue has its core threads, and messages would wait in it")
    void aPoolWithAQueueCountsByItsCoreThreads() {
        application(Worker.class, SOURCE + "lane-from-attribute=type")
                .withBean(
                        LaneCustomizer.class,
                        () ->
                                (source, lane) -> {
                                    var pool = new ThreadPoolTaskExecutor();
                                    pool.setCorePoolSize(1);
                                    pool.setMaxPoolSize(10);
                                    pool.setQueueCapacity(100);
                                    return lane.name().equals("label") ? lane.on(pool) : lane;
                                })
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining("corePoolSize=1")
                                        .hasMessageContaining("queueCapacity=100")
                                        .hasMessageContaining("greatest limit 3"));
    }

    @Test
    @DisplayName("B5: so is one that a customizer brought")
    void anExecutorOfAnApplicationHasToBeLargeEnough() {
        application(Worker.class, SOURCE + "lane-from-attribute=type")
                .withBean(
                        LaneCustomizer.class,
                        () ->
                                (source, lane) -> {
                                    var pool = new ThreadPoolTaskExecutor();
                                    pool.setMaxPoolSize(2);
                                    pool.setQueueCapacity(0);
                                    return lane.name().equals("label") ? lane.on(pool) : lane;
                                })
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining("maxPoolSize=2")
                                        .hasMessageContaining("greatest limit 3"));
    }

    @Test
    void severalLanesNeedSomethingThatTellsThemApart() {
        application(Worker.class)
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining(
                                                "documents has the lanes [failed, label], but neither"));
    }

    @Test
    void aStopNeedsTimeForThePollInProgress() {
        application(
                        Worker.class,
                        SOURCE + "lane-from-attribute=type",
                        "sluice.listener.shutdown=10s")
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining("sluice.listener.shutdown=PT10S")
                                        .hasMessageContaining("documents.long-poll"));
    }

    @Test
    void springsPatienceHasToBeLongerThanOurs() {
        application(Worker.class, "sluice.listener.shutdown=2m")
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining(
                                                "spring.lifecycle.timeout-per-shutdown-phase=PT30S"));
    }

    @Test
    void aGuardThatIsNoShareIsNamed() {
        application(
                        Worker.class,
                        SOURCE + "lane-from-attribute=type",
                        "sluice.listener.guards.heap=85")
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining(
                                                "sluice.listener.guards: The guard on heap is a share above 0 and at most 1, not 85.0"));
    }

    @Test
    void aSourceThatNobodyListensToIsATypingMistake() {
        application(Worker.class, "sluice.listener.sources.document.lease=1m")
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining("names [document], but"));
    }

    @Test
    void methodsThatCannotWorkAreNamed() {
        application(Twice.class)
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining("are both lane main of documents"));
        application(Neither.class)
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining("Set exactly one of them"));
        application(Returns.class)
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining("Returns.one returns String"));
        application(Elsewhere.class)
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .hasMessageContaining(
                                                "Elsewhere.one is a listener method and @Async"));
    }

    @Test
    void itIsShownAsAMistakeInTheConfigurationNotAsACrash() {
        var analysis =
                new ListenerConfigurationAnalyzer()
                        .analyze(new ListenerConfigurationException("a contradicts b.", "Choose."));
        assertThat(analysis).isNotNull();
        assertThat(analysis.getDescription()).isEqualTo("a contradicts b.");
        assertThat(analysis.getAction()).isEqualTo("Choose.");
    }
}
