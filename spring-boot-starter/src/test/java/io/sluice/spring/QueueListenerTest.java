package io.sluice.spring;

import static io.sluice.spring.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.sluice.listener.lane.Job;
import io.sluice.listener.message.Message;
import io.sluice.spring.actuate.ListenerEndpoint;
import io.sluice.spring.actuate.SluiceActuatorAutoConfiguration;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/// Annotated methods on queues of a real SQS endpoint.
@Timeout(180)
class QueueListenerTest {
    record Document(String name, int pages) {}

    static class Worker {
        final ConcurrentLinkedQueue<Document> labelled = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<String> failed = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
        final CountDownLatch gate = new CountDownLatch(1);

        @SluiceListener(queue = "${queue}", source = "documents", lane = "label", limit = "2")
        void label(Job job, Document document) throws InterruptedException {
            threads.add(Thread.currentThread());
            gate.await();
            assertThat(job.attempt()).isPositive();
            labelled.add(document);
        }

        @SluiceListener(queue = "${queue}", source = "documents", lane = "failed", limit = "5")
        void failed(String text, Message message) {
            failed.add(text + " " + message.attributes().get("type"));
        }
    }

    @Configuration
    static class Application {
        @Bean
        Worker worker() {
            return new Worker();
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    private static final QueueServer server = new QueueServer();

    @AfterAll
    static void stop() {
        server.close();
    }

    private static ApplicationContextRunner application(String queue, String... more) {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(
                                SluiceListenerAutoConfiguration.class,
                                SluiceActuatorAutoConfiguration.class))
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "queue=" + queue,
                        "sluice.listener.sqs.endpoint=" + server.endpoint,
                        "sluice.listener.sqs.region=us-east-1",
                        "sluice.listener.sqs.access-key=x",
                        "sluice.listener.sqs.secret-key=x",
                        "sluice.listener.sources.documents.long-poll=1s",
                        "sluice.listener.sources.documents.lane-from-attribute=type",
                        "management.endpoints.web.exposure.include=sluicelisteners",
                        "management.endpoints.jmx.exposure.include=sluicelisteners")
                .withPropertyValues(more);
    }

    @Test
    @DisplayName(
            "B1, B2, B6: heavy and light messages of one queue reach their methods, converted, the light ones past a full heavy lane")
    void messagesReachTheirMethods() {
        String url = server.create("reach");
        for (int i = 0; i < 4; i++) {
            server.send(url, "{\"name\":\"d" + i + "\",\"pages\":3}", Map.of("type", "label"));
        }
        server.send(url, "broken.pdf", Map.of("type", "failed"));
        application("reach")
                .run(
                        context -> {
                            Worker worker = context.getBean(Worker.class);
                            Listeners listeners = context.getBean(Listeners.class);
                            until("the light one", () -> worker.failed.size() == 1);
                            until(
                                    "two heavy ones",
                                    () ->
                                            listeners.require("documents").lanes().stream()
                                                    .anyMatch(lane -> lane.inFlight() == 2));
                            assertThat(worker.failed).containsExactly("broken.pdf failed");
                            worker.gate.countDown();
                            until("all", () -> worker.labelled.size() == 4);
                            assertThat(worker.labelled).contains(new Document("d0", 3));
                            until("deleted", () -> server.left(url) == 0);
                            assertThat(worker.threads).noneMatch(Thread::isVirtual);
                            var meters = context.getBean(MeterRegistry.class);
                            assertThat(
                                            meters.get("sluice.listener.limit")
                                                    .tags("listener", "documents", "lane", "label")
                                                    .gauge()
                                                    .value())
                                    .isEqualTo(2);
                        });
    }

    @Test
    void attemptsAreObservedWhereThereIsARegistry() {
        String url = server.create("observed");
        server.send(url, "broken.pdf", Map.of("type", "failed"));
        var names = new ConcurrentLinkedQueue<String>();
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig()
                .observationHandler(
                        new ObservationHandler<>() {
                            @Override
                            public void onStop(Observation.Context context) {
                                names.add(context.getName() + context.getLowCardinalityKeyValues());
                            }

                            @Override
                            public boolean supportsContext(Observation.Context context) {
                                return true;
                            }
                        });
        application("observed")
                .withBean(ObservationRegistry.class, () -> registry)
                .run(context -> until("observed", () -> !names.isEmpty()));
        assertThat(names.peek())
                .startsWith("sluice.listener.process")
                .contains("documents")
                .contains("failed");
    }

    @Test
    void virtualThreadsAreUsedWhereTheApplicationUsesThem() {
        String url = server.create("virtual");
        server.send(url, "{\"name\":\"d\",\"pages\":1}", Map.of("type", "label"));
        application("virtual", "spring.threads.virtual.enabled=true")
                .run(
                        context -> {
                            Worker worker = context.getBean(Worker.class);
                            worker.gate.countDown();
                            until("done", () -> worker.labelled.size() == 1);
                            assertThat(worker.threads).allMatch(Thread::isVirtual);
                        });
    }

    @Test
    void whatCannotBeConvertedOrHasNoTypeIsADeadLetterWithItsReason() {
        String url = server.create("bad");
        server.send(url, "no JSON at all", Map.of("type", "label"));
        server.send(url, "null", Map.of("type", "label"));
        server.send(url, "{}", Map.of("type", "unheard-of"));
        server.send(url, "{}", Map.of());
        application("bad")
                .run(
                        context -> {
                            context.getBean(Worker.class).gate.countDown();
                            until("dead letters", () -> server.left(url + "-dead") == 4);
                            until("nothing left", () -> server.left(url) == 0);
                        });
        var causes = new ConcurrentLinkedQueue<String>();
        while (causes.size() < 4) {
            server.client
                    .receiveMessage(
                            request ->
                                    request.queueUrl(url + "-dead")
                                            .maxNumberOfMessages(10)
                                            .messageAttributeNames("All"))
                    .messages()
                    .forEach(
                            letter ->
                                    causes.add(
                                            String.valueOf(
                                                    letter.messageAttributes()
                                                            .get("sluice-cause"))));
        }
        assertThat(String.join("\n", causes))
                .contains("is no io.sluice.spring.QueueListenerTest$Document: ")
                .contains("is the JSON null")
                .contains("There is no lane named unheard-of")
                .contains("has no attribute type that names its lane");
    }

    @Test
    void limitsAreSeenAndChangedWhileRunning() {
        String url = server.create("limits");
        for (int i = 0; i < 6; i++) {
            server.send(url, "{\"name\":\"d\",\"pages\":1}", Map.of("type", "label"));
        }
        application("limits", "sluice.listener.sources.documents.lanes.label.greatest=4")
                .run(
                        context -> {
                            var endpoint = context.getBean(ListenerEndpoint.class);
                            until("two", () -> inFlight(endpoint, "label") == 2);
                            endpoint.limit("documents", "label", 4);
                            until("four", () -> inFlight(endpoint, "label") == 4);
                            assertThat(endpoint.one("nobody")).isNull();
                            assertThatThrownBy(() -> endpoint.limit("documents", "label", 9))
                                    .hasMessageContaining("from 1 to 4");
                            context.getBean(Worker.class).gate.countDown();
                        });
    }

    private static int inFlight(ListenerEndpoint endpoint, String lane) {
        return endpoint.all().values().stream()
                .flatMap(shown -> shown.lanes().stream())
                .filter(state -> state.lane().equals(lane))
                .mapToInt(state -> state.inFlight())
                .sum();
    }

    @Test
    void healthSaysWhyNothingCanBeReceived() {
        String url = server.create("gone");
        application("gone", "sluice.listener.sources.documents.long-poll=0s")
                .run(
                        context -> {
                            var health = context.getBean(HealthIndicator.class);
                            var before = health.health();
                            assertThat(before).isNotNull();
                            assertThat(before.getStatus()).isEqualTo(Status.UP);
                            assertThat(String.valueOf(before.getDetails().get("documents")))
                                    .contains("Lane label has room for 2 more");
                            server.client.deleteQueue(request -> request.queueUrl(url));
                            until(
                                    "down",
                                    () -> {
                                        var now = health.health();
                                        return now != null && now.getStatus().equals(Status.DOWN);
                                    });
                        });
    }

    @Test
    @DisplayName("a stop in the middle of jobs: within the deadline, nothing in flight to nobody")
    void stoppingHandsBack() throws Exception {
        String url = server.create("stop");
        for (int i = 0; i < 5; i++) {
            server.send(url, "{\"name\":\"d\",\"pages\":1}", Map.of("type", "label"));
        }
        application("stop", "sluice.listener.shutdown=4s")
                .run(
                        context -> {
                            Worker worker = context.getBean(Worker.class);
                            until("two", () -> worker.threads.size() == 2);
                        });
        assertThat(server.invisible(url)).isZero();
        assertThat(server.left(url)).isEqualTo(5);
    }
}
