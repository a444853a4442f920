package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.fixtures.ApacheKafka;
import io.sluice.listener.Listener;
import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.Classifier;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A listener in a share group of Apache Kafka 4.3.1 (Sluice has no share groups yet), where it is installed: `mvn -f benchmarks/peers/kafka package`.
@Timeout(300)
class KafkaShareSourceTest {
    private static @Nullable ApacheKafka kafka;

    private final ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(
                ApacheKafka.isInstalled(),
                "There is no Apache Kafka; fetch it with mvn -f benchmarks/peers/kafka package");
        kafka = ApacheKafka.start();
    }

    @AfterAll
    static void stop() {
        if (kafka != null) {
            kafka.close();
        }
    }

    private static String servers() {
        if (kafka == null) {
            throw new IllegalStateException("not started");
        }
        return kafka.bootstrap();
    }

    /// A topic whose share group, of the same name, begins at its beginning.
    private static void create(String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
            var group = new ConfigResource(ConfigResource.Type.GROUP, topic);
            var earliest =
                    new AlterConfigOp(
                            new ConfigEntry("share.auto.offset.reset", "earliest"),
                            AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(group, List.of(earliest))).all().get();
        }
    }

    private static void send(String topic, int from, int to, String lane) throws Exception {
        try (var producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", servers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            for (int i = from; i < to; i++) {
                var record = new ProducerRecord<String, String>(topic, "m" + i);
                record.headers().add("lane", lane.getBytes(StandardCharsets.UTF_8));
                producer.send(record).get();
            }
        }
    }

    private static KafkaShareSource source(String topic) {
        return new KafkaShareSource(
                KafkaSettings.of(Map.of("bootstrap.servers", servers(), "group.id", topic), topic));
    }

    private void work(String text) {
        done.add(text);
    }

    @Test
    @DisplayName(
            "B3, Q36: at the limit nothing more is taken; failures come again, the last one is a dead letter")
    void jobsAreDoneOnceAndFailuresEndAsDeadLetters() throws Exception {
        create("shared");
        send("shared", 0, 20, "all");
        var inside = new AtomicInteger();
        var most = new AtomicInteger();
        var attempts = new ConcurrentLinkedQueue<Integer>();
        LaneSettings lane =
                LaneSettings.lane(
                                "all",
                                new FixedLimit(4),
                                job -> {
                                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                                    try {
                                        Thread.sleep(20);
                                        switch (job.message().text()) {
                                            case "m3" -> {
                                                attempts.add(job.attempt());
                                                throw new IllegalStateException("not today");
                                            }
                                            case "m4" -> throw new UnprocessableException("never");
                                            default -> work(job.message().text());
                                        }
                                    } finally {
                                        inside.decrementAndGet();
                                    }
                                })
                        .onFailure(
                                FailurePolicy.standard()
                                        .otherwise(Backoff.constant(Duration.ofMillis(100), 3)));
        try (Listener listener = Listener.of(source("shared")).lane(lane).start()) {
            until("all but two", () -> done.size() == 18);
            until("two dead letters", () -> listener.lanes().getFirst().deadLettered() == 2);
        }
        assertThat(done).doesNotHaveDuplicates();
        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(most.get()).isLessThanOrEqualTo(4);

        // Whatever was not acknowledged would come again now.
        send("shared", 100, 101, "all");
        done.clear();
        var again = LaneSettings.lane("all", new FixedLimit(4), job -> work(job.message().text()));
        try (Listener listener = Listener.of(source("shared")).lane(again).start()) {
            until("the new one", () -> done.contains("m100"));
            assertThat(listener.trouble()).isNull();
        }
        assertThat(done).containsExactly("m100");
    }

    @Test
    @DisplayName(
            "B6: light messages overtake a full heavy lane; a lock is renewed for as long as a job runs")
    void aLongJobKeepsItsLockAndHoldsUpNobody() throws Exception {
        create("lanes");
        send("lanes", 0, 3, "heavy");
        send("lanes", 3, 6, "light");
        var gate = new CountDownLatch(1);
        var begun = new ConcurrentLinkedQueue<String>();
        LaneSettings heavy =
                LaneSettings.lane(
                        "heavy",
                        new FixedLimit(1),
                        job -> {
                            begun.add(job.message().text());
                            gate.await();
                            work(job.message().text());
                        });
        LaneSettings light =
                LaneSettings.lane("light", new FixedLimit(2), job -> work(job.message().text()));
        try (Listener listener =
                Listener.of(source("lanes"))
                        .lane(heavy)
                        .lane(light)
                        .classify(Classifier.byAttribute("lane"))
                        .start()) {
            until("all light ones", () -> done.size() == 3);
            long locked = System.nanoTime() + Duration.ofSeconds(12).toNanos();
            until("longer than a lock", () -> System.nanoTime() - locked > 0);
            assertThat(begun).hasSize(1);
            assertThat(listener.lanes().getFirst().lost()).isZero();
            gate.countDown();
            until("all", () -> done.size() == 6);
        }
        assertThat(done).doesNotHaveDuplicates();
    }
}
