package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.BrokerUnderTest.Bootstrap;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The loops against a real broker: rebalance, restart, transactions.
@ExtendWith(BrokerUnderTest.class)
@Timeout(120)
class BrokerLoopsTest {
    private static final int COUNT = 200;

    @ParameterizedTest
    @EnumSource(Profile.class)
    @DisplayName("Q7: every profile carries messages in order")
    void everyProfileCarriesMessages(Profile profile, Bootstrap broker) throws Exception {
        String topic = Topics.create(broker, 1);
        List<String> sent = Topics.fill(broker, topic, COUNT);
        var preset = new Preset(Delivery.AT_LEAST_ONCE, profile);
        List<String> seen = new ArrayList<>();
        var loop = new AtomicReference<ConsumeLoop<String, String>>();
        loop.set(
                new ConsumeLoop<>(
                        open(preset, broker, topic, Map.of()),
                        preset.delivery(),
                        OnFailure.stop(),
                        record -> {
                            seen.add(record.value());
                            if (seen.size() == COUNT) {
                                loop.get().stop();
                            }
                        }));
        loop.get().run(List.of(topic));
        assertThat(seen).isEqualTo(sent);
    }

    /// A second member joins while the first is in the middle of its work and its records fail: with cooperative and
    /// eager assignment alike nothing is lost.
    @ParameterizedTest
    @EnumSource(Assignor.class)
    @DisplayName("Q19, Q32: a member that joins in the middle of the work loses nothing")
    void rebalanceDuringRetriesLosesNothing(Assignor assignor, Bootstrap broker) throws Exception {
        String topic = Topics.create(broker, 6);
        List<String> sent = Topics.fill(broker, topic, COUNT);
        List<String> finished = Collections.synchronizedList(new ArrayList<>());
        var firstIsInWork = new CountDownLatch(1);
        var secondHasRecords = new CountDownLatch(1);
        var all = new CountDownLatch(1);
        Runnable note =
                () -> {
                    if (new HashSet<>(finished).containsAll(sent)) {
                        all.countDown();
                    }
                };
        var first =
                loop(
                        assignor.consumer(broker, topic),
                        record -> {
                            firstIsInWork.countDown();
                            if (finished.size() > 10 && secondHasRecords.getCount() > 0) {
                                throw new IllegalStateException("not before the other has joined");
                            }
                            finished.add(record.value());
                            note.run();
                        });
        var second =
                loop(
                        assignor.consumer(broker, topic),
                        record -> {
                            secondHasRecords.countDown();
                            finished.add(record.value());
                            note.run();
                        });
        try (first;
                second) {
            Thread.ofPlatform().start(() -> first.run(List.of(topic)));
            firstIsInWork.await();
            Thread.ofPlatform().start(() -> second.run(List.of(topic)));
            all.await();
        }
        assertThat(new HashSet<>(finished)).isEqualTo(new HashSet<>(sent));
        assertThat(second.handled()).isPositive();
    }

    @Test
    @DisplayName(
            "Q33: consumed, worked on and produced exactly once, in spite of a failure in the middle")
    void transformLoopProducesEachResultOnce(Bootstrap broker) throws Exception {
        assumeTransactions(broker);
        String orders = Topics.create(broker, 2);
        String bills = Topics.create(broker, 1);
        List<String> sent = Topics.fill(broker, orders, COUNT);
        var preset = new Preset(Delivery.EXACTLY_ONCE, Profile.BALANCED);
        try (var producer =
                preset.openProducer(
                        Map.of(
                                "bootstrap.servers",
                                broker.servers(),
                                "transactional.id",
                                "transform-" + orders),
                        new StringSerializer(),
                        new StringSerializer())) {
            List<String> begun = new ArrayList<>();
            var loop = new AtomicReference<TransformLoop<String, String, String, String>>();
            loop.set(
                    new TransformLoop<>(
                            open(preset, broker, orders, Map.of("max.poll.records", "30")),
                            producer,
                            OnFailure.retry(3, Duration.ofMillis(1), Duration.ofMillis(5)),
                            record -> {
                                begun.add(record.value());
                                if (begun.size() == 45) {
                                    throw new IllegalStateException("in the middle of a batch");
                                }
                                if (new HashSet<>(begun).size() == COUNT) {
                                    loop.get().stop();
                                }
                                return List.of(
                                        new ProducerRecord<>(bills, record.key(), record.value()));
                            }));
            loop.get().run(List.of(orders));
            assertThat(begun).as("the failed batch was begun again").hasSizeGreaterThan(COUNT);
        }
        assertThat(readCommitted(broker, bills, COUNT)).containsExactlyInAnyOrderElementsOf(sent);
    }

    @Test
    void transactionsAreAskedForBeforeTheyAreUsed(Bootstrap broker) throws Exception {
        Assumptions.assumeFalse(transactions(broker), "the broker has transactions");
        var preset = new Preset(Delivery.EXACTLY_ONCE, Profile.BALANCED);
        assertThatThrownBy(
                        () ->
                                preset.openProducer(
                                        Map.of(
                                                "bootstrap.servers",
                                                broker.servers(),
                                                "transactional.id",
                                                "a"),
                                        new StringSerializer(),
                                        new StringSerializer()))
                .isInstanceOf(DeliveryUnsupportedException.class);
    }

    enum Assignor {
        EAGER("org.apache.kafka.clients.consumer.RangeAssignor"),
        COOPERATIVE("org.apache.kafka.clients.consumer.CooperativeStickyAssignor");

        private final String className;

        Assignor(String className) {
            this.className = className;
        }

        Consumer<String, String> consumer(Bootstrap broker, String topic) {
            return open(
                    new Preset(Delivery.AT_LEAST_ONCE, Profile.LATENCY),
                    broker,
                    topic,
                    Map.of("partition.assignment.strategy", className));
        }
    }

    private static ConsumeLoop<String, String> loop(
            Consumer<String, String> consumer, RecordHandler<String, String> handler) {
        return new ConsumeLoop<>(
                consumer,
                Delivery.AT_LEAST_ONCE,
                OnFailure.retry(Integer.MAX_VALUE, Duration.ofMillis(10), Duration.ofMillis(100)),
                handler);
    }

    private static Consumer<String, String> open(
            Preset preset, Bootstrap broker, String topic, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", broker.servers());
        settings.put("group.id", "workers-of-" + topic);
        return preset.openConsumer(settings, new StringDeserializer(), new StringDeserializer());
    }

    private static List<String> readCommitted(Bootstrap broker, String topic, int count) {
        List<String> values = new ArrayList<>();
        var preset = new Preset(Delivery.EXACTLY_ONCE, Profile.BALANCED);
        try (var consumer = open(preset, broker, topic, Map.of())) {
            consumer.subscribe(List.of(topic));
            int emptyPolls = 0;
            // A little longer than needed: a doubled result would come after the others.
            while (values.size() < count || emptyPolls < 2) {
                var records = consumer.poll(Duration.ofMillis(500));
                emptyPolls = records.isEmpty() ? emptyPolls + 1 : 0;
                for (ConsumerRecord<String, String> record : records) {
                    values.add(record.value());
                }
            }
        }
        return values;
    }

    private static void assumeTransactions(Bootstrap broker) throws Exception {
        Assumptions.assumeTrue(transactions(broker), "the broker has no transactions");
    }

    private static boolean transactions(Bootstrap broker) throws Exception {
        String[] address = broker.servers().split(":");
        return SupportedApis.ask(
                        new InetSocketAddress(address[0], Integer.parseInt(address[1])),
                        Duration.ofSeconds(5))
                .offers((short) 24, (short) 26);
    }
}
