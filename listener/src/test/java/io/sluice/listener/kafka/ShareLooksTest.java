package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.ApacheKafka;
import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What members of a share group find, though it lies behind something or where nobody seems to look.
@Timeout(300)
class ShareLooksTest {
    private static ApacheKafka kafka;

    private final Set<String> done = ConcurrentHashMap.newKeySet();

    @BeforeAll
    static void start() {
        kafka = ApacheKafka.start();
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    private Listener listen(Topics topic) {
        var source =
                new KafkaShareSource(
                        KafkaSettings.of(
                                Map.of(
                                        "bootstrap.servers",
                                        kafka.bootstrap(),
                                        "group.id",
                                        topic.name),
                                topic.name));
        return Listener.of(source)
                .lane(
                        LaneSettings.lane(
                                "all", new FixedLimit(1), job -> done.add(job.message().text())))
                .start();
    }

    /// Each transaction leaves a mark in the log, which the client takes and shows to nobody.
    @Test
    void marksOfTransactionsHoldUpNobody() throws Exception {
        try (var topic = new Topics(kafka.bootstrap(), 1);
                var producer =
                        new KafkaProducer<>(
                                Map.of(
                                        "bootstrap.servers",
                                        kafka.bootstrap(),
                                        "transactional.id",
                                        topic.name),
                                new StringSerializer(),
                                new StringSerializer())) {
            producer.initTransactions();
            try (Listener listener = listen(topic)) {
                for (int i = 0; i < 20; i++) {
                    producer.beginTransaction();
                    producer.send(new ProducerRecord<>(topic.name, "k", "m" + i)).get();
                    producer.commitTransaction();
                }
                until("all of them", () -> done.size() == 20);
                assertThat(listener.trouble()).isNull();
            }
        }
    }

    /// After a load there is one member more than slots, which keeps its partitions, and looks into them though all others look into theirs.
    @Test
    void afterALoadEveryPartitionIsLookedInto() throws Exception {
        try (var topic = new Topics(kafka.bootstrap(), 4);
                Listener listener = listen(topic)) {
            for (int round = 0; round < 4; round++) {
                int from = round * 16;
                topic.send(
                        IntStream.range(from, from + 16)
                                .mapToObj(i -> "k" + i % 16 + ":m" + i)
                                .toList());
                until("a round", () -> done.size() == from + 16);
                Thread.sleep(1_500);
            }
            assertThat(listener.trouble()).isNull();
        }
    }
}
