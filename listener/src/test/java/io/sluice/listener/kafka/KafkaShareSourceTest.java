package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.fixtures.ApacheKafka;
import io.sluice.listener.Listener;
import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.Classifier;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Order;
import io.sluice.listener.limit.FixedLimit;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A listener in a share group of Apache Kafka 4.3.1 (Sluice has no share groups yet), which the build fetches.
@Timeout(300)
class KafkaShareSourceTest {
    private static @Nullable ApacheKafka kafka;

    private final ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void start() throws Exception {
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

    /// A topic, and its share group has the same name.
    private static void create(String topic) throws Exception {
        create(topic, 1);
    }

    private static void create(String topic, int partitions) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers()))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
        }
    }

    private static void setForGroup(String group, String name, String value) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers()))) {
            var set = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(
                            Map.of(
                                    new ConfigResource(ConfigResource.Type.GROUP, group),
                                    List.of(set)))
                    .all()
                    .get();
        }
        until("the broker knows", () -> settingOfGroup(group, name).equals(value));
    }

    private static String settingOfGroup(String group, String name) throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.GROUP, group);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers()))) {
            Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
            return config == null ? "none" : config.get(name).value();
        }
    }

    /// What is in a topic, up to so many.
    private static List<ConsumerRecord<String, String>> read(String topic, int count) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (var consumer =
                new KafkaConsumer<>(
                        Map.<String, Object>of(
                                "bootstrap.servers", servers(), "auto.offset.reset", "earliest"),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            List<TopicPartition> partitions =
                    consumer.partitionsFor(topic).stream()
                            .map(info -> new TopicPartition(topic, info.partition()))
                            .toList();
            consumer.assign(partitions);
            for (int i = 0; i < 100 && records.size() < count; i++) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
        }
        return records;
    }

    private static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
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

    private static KafkaSettings settings(String topic) {
        return KafkaSettings.of(Map.of("bootstrap.servers", servers(), "group.id", topic), topic);
    }

    private static KafkaShareSource source(String topic) {
        return new KafkaShareSource(settings(topic));
    }

    private void work(String text) {
        done.add(text);
    }

    /// How many are done, however often.
    private int distinct() {
        return Set.copyOf(done).size();
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
            until("all but two", () -> distinct() == 18);
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

    /// None twice, unless a lock was lost: on a machine that stands still for as long as a lock lasts its record comes again.
    private void requireAll(Listener listener, int count) throws Exception {
        try {
            until("all", () -> distinct() == count);
        } catch (AssertionError e) {
            throw new AssertionError(
                    "done: " + done + ", " + listener.lanes() + ", " + listener.trouble(), e);
        }
        if (listener.lanes().stream().allMatch(lane -> lane.lost() == 0)) {
            assertThat(done).doesNotHaveDuplicates();
        }
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
            until("all light ones", () -> distinct() == 3);
            long locked = System.nanoTime() + Duration.ofSeconds(12).toNanos();
            until("longer than a lock", () -> System.nanoTime() - locked > 0);
            assertThat(begun).hasSize(1);
            assertThat(listener.lanes().getFirst().lost()).isZero();
            gate.countDown();
            requireAll(listener, 6);
        }
    }

    private static void sendToEach(String topic, int partitions, String text) throws Exception {
        try (var producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", servers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            for (int i = 0; i < partitions; i++) {
                producer.send(new ProducerRecord<>(topic, i, "k", text + i)).get();
            }
        }
    }

    /// Kafka gives each partition to some members only, and one that has a record at work reads nothing else.
    @Test
    @DisplayName("B6: records of every partition are found while a long job runs")
    void aLongJobHoldsUpNoPartition() throws Exception {
        create("wide", 4);
        var gate = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        LaneSettings lane =
                LaneSettings.lane(
                        "all",
                        new FixedLimit(2),
                        job -> {
                            if (job.message().text().equals("m0")) {
                                begun.countDown();
                                gate.await();
                            }
                            work(job.message().text());
                        });
        try (Listener listener = Listener.of(source("wide")).lane(lane).start()) {
            send("wide", 0, 1, "all");
            begun.await();
            sendToEach("wide", 4, "first");
            until("those of every partition", () -> distinct() == 4);
            sendToEach("wide", 4, "second");
            until("and again", () -> distinct() == 8);
            assertThat(listener.trouble()).isNull();
            gate.countDown();
            requireAll(listener, 9);
        }
    }

    /// Kafka's own settings would begin at the end, and archive a record after five deliveries.
    @Test
    void whatNobodyHasDecidedForTheGroupIsDecidedAtStart() throws Exception {
        create("undecided");
        create("decided");
        setForGroup("decided", "share.auto.offset.reset", "latest");
        setForGroup("decided", "share.delivery.count.limit", "3");
        for (String group : List.of("undecided", "decided")) {
            assertThat(ShareGroup.prepare(settings(group)).mostDeliveries())
                    .isEqualTo(group.equals("decided") ? 3 : 10);
        }
        until(
                "the broker knows",
                () -> settingOfGroup("undecided", "share.delivery.count.limit").equals("10"));
        assertThat(settingOfGroup("undecided", "share.auto.offset.reset")).isEqualTo("earliest");
        assertThat(settingOfGroup("decided", "share.auto.offset.reset")).isEqualTo("latest");
        assertThat(settingOfGroup("decided", "share.delivery.count.limit")).isEqualTo("3");
    }

    @Test
    void locksThatCannotBeRenewedAreRefused() throws Exception {
        create("fleeting");
        setForGroup("fleeting", "share.renew.acknowledge.enable", "false");
        LaneSettings lane = LaneSettings.lane("all", new FixedLimit(1), job -> {});
        assertThatThrownBy(() -> Listener.of(source("fleeting")).lane(lane).start())
                .hasMessageContaining("share.renew.acknowledge.enable=false");
    }

    @Test
    void lanesThatAShareGroupCannotHaveAreRefused() {
        LaneSettings ordered =
                LaneSettings.lane("all", new FixedLimit(1), job -> {}).inOrder(Order.KEY);
        assertThatThrownBy(() -> Listener.of(source("any")).lane(ordered).start())
                .hasMessageContaining("wants order KEY, but topic any (share group) has no order");
        LaneSettings wide = LaneSettings.lane("all", new FixedLimit(65), job -> {});
        assertThatThrownBy(() -> Listener.of(source("any")).lane(wide).start())
                .hasMessageContaining("65 slots together, but only 64 messages");
    }

    /// A job that waits for its end, and hears when it begins.
    private static LaneSettings stuck(CountDownLatch begun) {
        return LaneSettings.lane(
                "all",
                new FixedLimit(1),
                job -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                });
    }

    /// A worker that is stopped in the middle of its job.
    private static void stopInTheMiddle(String topic) throws Exception {
        var begun = new CountDownLatch(1);
        Listener listener = Listener.of(source(topic)).lane(stuck(begun)).start();
        begun.await();
        assertThat(listener.stop(Duration.ofSeconds(5))).isFalse();
    }

    @Test
    @DisplayName("a stop hands back what has not ended, and another worker does it")
    void whatAStopInterruptsIsDoneByAnother() throws Exception {
        create("stopped");
        send("stopped", 0, 1, "all");
        stopInTheMiddle("stopped");
        var deliveries = new ConcurrentLinkedQueue<Integer>();
        LaneSettings lane =
                LaneSettings.lane(
                        "all",
                        new FixedLimit(1),
                        job -> {
                            deliveries.add(job.message().attempt());
                            work(job.message().text());
                        });
        try (Listener listener = Listener.of(source("stopped")).lane(lane).start()) {
            until("done", () -> listener.lanes().getFirst().done() == 1);
        }
        assertThat(done).containsExactly("m0");
        assertThat(deliveries).containsExactly(2);
    }

    /// Interrupted at its last delivery, the broker would archive it without a word.
    @Test
    @DisplayName("a record that was handed back as often as the broker delivers is kept")
    void theLastDeliveryIsADeadLetterBeforeAnybodyBeginsWithIt() throws Exception {
        create("unlucky");
        setForGroup("unlucky", "share.delivery.count.limit", "2");
        send("unlucky", 0, 1, "all");
        stopInTheMiddle("unlucky");

        var begun = new CountDownLatch(1);
        try (Listener listener = Listener.of(source("unlucky")).lane(stuck(begun)).start()) {
            until("a dead letter", () -> !read("unlucky-dead-letters", 1).isEmpty());
            ConsumerRecord<String, String> letter = read("unlucky-dead-letters", 1).getFirst();
            assertThat(letter.value()).isEqualTo("m0");
            assertThat(header(letter, "sluice-origin")).startsWith("unlucky-").endsWith("@0");
            assertThat(header(letter, "sluice-cause"))
                    .contains("It was delivered 2 times, as often as its share group allows");
            assertThat(listener.trouble()).isNull();
        }
        assertThat(begun.getCount()).as("nobody began with it").isEqualTo(1);
    }

    @Test
    @DisplayName("a lost lock cancels its job, which is not acknowledged, and comes again")
    void aLostLockCancelsItsJob() throws Exception {
        create("lost");
        send("lost", 0, 1, "all");
        var tries = new AtomicInteger();
        var cancelled = new AtomicInteger();
        var begun = new CountDownLatch(1);
        LaneSettings lane =
                LaneSettings.lane(
                        "all",
                        new FixedLimit(1),
                        job -> {
                            if (tries.incrementAndGet() == 1) {
                                begun.countDown();
                                try {
                                    new CountDownLatch(1).await();
                                } catch (InterruptedException e) {
                                    cancelled.incrementAndGet(); // and claims to be done
                                }
                            } else {
                                work(job.message().text());
                            }
                        });
        try (Listener listener = Listener.of(source("lost")).lane(lane).start()) {
            begun.await();
            // From now on the broker refuses each renewal.
            setForGroup("lost", "share.renew.acknowledge.enable", "false");
            until("cancelled", () -> cancelled.get() == 1);
            until("done by another delivery", () -> done.size() == 1);
            until("lost", () -> listener.lanes().getFirst().lost() == 1);
        }
        assertThat(done).containsExactly("m0");
    }
}
