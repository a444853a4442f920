package io.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The current Java client produces and consumes.
@Tag("java-client")
@ExtendWith(BrokerExtension.class)
class JavaClientIT {
    private final Clients clients;

    JavaClientIT(Broker broker) {
        clients = new Clients(broker);
    }

    @ParameterizedTest
    @CsvSource({"0,false", "1,false", "all,false", "all,true"})
    @DisplayName("Q25, Q31, Q32: every acks level delivers")
    void everyAcksLevelDelivers(String acks, boolean idempotent) throws Exception {
        String topic = clients.createTopic("acks", 1);
        try (Producer<String, String> producer =
                clients.producer(
                        Map.of(
                                ProducerConfig.ACKS_CONFIG, acks,
                                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, idempotent))) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                sent.add(producer.send(new ProducerRecord<>(topic, "v" + i)));
            }
            for (int i = 0; i < 100; i++) {
                long offset = sent.get(i).get(2, TimeUnit.MINUTES).offset();
                assertThat(offset).isEqualTo(acks.equals("0") ? -1 : i);
            }
        }

        List<ConsumerRecord<String, String>> records = clients.readAll(topic, 1, 100);

        assertThat(records)
                .extracting(ConsumerRecord::value)
                .containsExactlyElementsOf(values("v", 100));
        assertThat(records)
                .extracting(ConsumerRecord::offset)
                .containsExactlyElementsOf(
                        IntStream.range(0, 100).mapToObj(i -> (long) i).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    @DisplayName("Q13, Q14: every compression comes back as it was sent")
    void everyCompressionComesBackAsItWasSent(String compression) {
        String topic = clients.createTopic("compression", 1);
        try (Producer<String, String> producer =
                clients.producer(
                        Map.of(
                                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                                compression,
                                ProducerConfig.LINGER_MS_CONFIG,
                                50))) {
            Clients.sendAll(
                    producer,
                    500,
                    i -> new ProducerRecord<>(topic, "key" + i, "value".repeat(50) + i));
        }

        assertThat(clients.readAll(topic, 1, 500))
                .extracting(ConsumerRecord::value)
                .containsExactlyElementsOf(values("value".repeat(50), 500));
    }

    @Test
    @DisplayName("Q1: keys, headers, timestamps and nothing at all travel unchanged")
    void everythingAboutARecordTravelsUnchanged() {
        String topic = clients.createTopic("anatomy", 1);
        long timestamp = System.currentTimeMillis() - 12_345;
        ProducerRecord<String, String> full =
                new ProducerRecord<>(topic, 0, timestamp, "schlüssel", "값");
        full.headers().add("a", "1".getBytes(UTF_8)).add("a", null).add("", new byte[] {0, -1});
        try (Producer<String, String> producer = clients.producer()) {
            List<ProducerRecord<String, String>> three =
                    List.of(
                            full,
                            new ProducerRecord<>(topic, null, null),
                            new ProducerRecord<>(topic, "", ""));
            Clients.sendAll(producer, 3, three::get);
        }

        List<ConsumerRecord<String, String>> records = clients.readAll(topic, 1, 3);

        ConsumerRecord<String, String> first = records.getFirst();
        assertThat(first.key()).isEqualTo("schlüssel");
        assertThat(first.value()).isEqualTo("값");
        assertThat(first.timestamp()).isEqualTo(timestamp);
        assertThat(first.timestampType()).isEqualTo(TimestampType.CREATE_TIME);
        assertThat(first.headers()).isEqualTo(full.headers());
        assertThat(records.get(1).key()).isNull();
        assertThat(records.get(1).value()).isNull();
        assertThat(records.get(2).key()).isEmpty();
        assertThat(records.get(2).value()).isEmpty();
    }

    @Test
    @DisplayName(
            "Q1: over the maximum size there is a clear error, and below it a message of any size")
    void tooLargeIsRefusedAndLargeIsNot() throws Exception {
        String topic = clients.createTopic("size", 1);
        try (Producer<String, String> producer =
                clients.producer(Map.of(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 8 << 20))) {
            assertThatThrownBy(
                            () ->
                                    producer.send(new ProducerRecord<>(topic, "x".repeat(4 << 20)))
                                            .get(2, TimeUnit.MINUTES))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(RecordTooLargeException.class);
            producer.send(new ProducerRecord<>(topic, "y".repeat(900_000)))
                    .get(2, TimeUnit.MINUTES);
        }

        assertThat(clients.readAll(topic, 1, 1).getFirst().value()).isEqualTo("y".repeat(900_000));
    }

    @Test
    @DisplayName("Q15: the client knows every partition's leader and sends it whole batches")
    void theClientKnowsEveryLeaderAndSendsItWholeBatches() {
        String topic = clients.createTopic("routing", 3);
        // Nothing is sent before flush() asks for it, so that the number of requests is certain.
        Map<String, Object> patient =
                Map.of(
                        ProducerConfig.LINGER_MS_CONFIG, 3_600_000,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 7_200_000,
                        ProducerConfig.BATCH_SIZE_CONFIG, 1 << 20);
        try (Producer<String, String> producer = clients.producer(patient)) {
            assertThat(producer.partitionsFor(topic))
                    .hasSize(3)
                    .allSatisfy(
                            partition ->
                                    assertThat(partition.leader().port())
                                            .isEqualTo(clients.broker().port()));

            List<RecordMetadata> sent =
                    Clients.sendAll(
                            producer,
                            900,
                            i -> new ProducerRecord<>(topic, i % 3, null, Integer.toString(i)));

            assertThat(sent).filteredOn(one -> one.partition() == 1).hasSize(300);
            assertThat(metric(producer, "records-per-request-avg")).isEqualTo(900.0);
        }
    }

    private static Object metric(Producer<String, String> producer, String name) {
        return producer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals(name))
                .filter(metric -> metric.metricName().group().equals("producer-metrics"))
                .findFirst()
                .orElseThrow()
                .metricValue();
    }

    @Test
    @DisplayName("Q5, Q11: messages of a key keep their partition and their order")
    void messagesOfAKeyKeepTheirPartitionAndOrder() {
        String topic = clients.createTopic("order", 4);
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer,
                    4000,
                    i -> new ProducerRecord<>(topic, "key" + i % 20, Integer.toString(i)));
        }

        List<ConsumerRecord<String, String>> records = clients.readAll(topic, 4, 4000);

        for (int key = 0; key < 20; key++) {
            String name = "key" + key;
            List<ConsumerRecord<String, String>> own =
                    records.stream().filter(record -> record.key().equals(name)).toList();
            assertThat(own).hasSize(200);
            assertThat(own)
                    .extracting(ConsumerRecord::partition)
                    .containsOnly(own.getFirst().partition());
            assertThat(own).extracting(record -> Integer.parseInt(record.value())).isSorted();
        }
        assertThat(records).extracting(ConsumerRecord::partition).contains(0, 1, 2, 3);
    }

    @Test
    @DisplayName("Q4: messages can be read again from any offset and any time")
    void messagesCanBeReadAgainFromAnyOffsetAndAnyTime() {
        String topic = clients.createTopic("replay", 1);
        TopicPartition partition = new TopicPartition(topic, 0);
        long start = System.currentTimeMillis() - 100_000;
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer,
                    1000,
                    i -> new ProducerRecord<>(topic, 0, start + i * 10L, null, "v" + i));
        }
        try (Consumer<String, String> consumer = clients.consumer(Map.of())) {
            consumer.assign(List.of(partition));
            assertThat(Clients.read(consumer, 1000).getLast().value()).isEqualTo("v999");

            consumer.seek(partition, 700);
            assertThat(Clients.read(consumer, 1).getFirst().value()).isEqualTo("v700");

            OffsetAndTimestamp found =
                    consumer.offsetsForTimes(Map.of(partition, start + 4_995)).get(partition);
            assertThat(found).isNotNull();
            assertThat(found.offset()).isEqualTo(500);
            assertThat(found.timestamp()).isEqualTo(start + 5_000);
            assertThat(consumer.offsetsForTimes(Map.of(partition, start + 1_000_000_000)))
                    .containsEntry(partition, null);
            assertThat(consumer.beginningOffsets(List.of(partition))).containsEntry(partition, 0L);
            assertThat(consumer.endOffsets(List.of(partition))).containsEntry(partition, 1000L);
        }
    }

    @Test
    @DisplayName("Q4: a group reads every message once, another one reads them all again")
    void aGroupReadsOnceAndAnotherOneReadsAgain() {
        String topic = clients.createTopic("once", 2);
        send(topic, 0, 200);
        assertThat(readInGroup("once-" + topic, topic, 200)).hasSize(200);

        // The same group again, with the same setting to begin at the earliest.
        send(topic, 200, 5);
        assertThat(readInGroup("once-" + topic, topic, 5))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(200, 205).mapToObj(Integer::toString).toList());

        assertThat(readInGroup("again-" + topic, topic, 205)).hasSize(205).doesNotHaveDuplicates();
    }

    private void send(String topic, int from, int count) {
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer,
                    count,
                    i -> new ProducerRecord<>(topic, i % 2, null, Integer.toString(from + i)));
        }
    }

    /// What a member gets who joins, reads, commits and leaves.
    private List<String> readInGroup(String group, String topic, int count) {
        try (Consumer<String, String> member =
                clients.consumer(
                        Map.of(
                                ConsumerConfig.GROUP_ID_CONFIG,
                                group,
                                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                                false))) {
            member.subscribe(List.of(topic));
            List<String> values =
                    Clients.read(member, count).stream().map(ConsumerRecord::value).toList();
            member.commitSync();
            return values;
        }
    }

    @Test
    @DisplayName("Q14: one fetch brings many batches, as many as the consumer has room for")
    void oneFetchBringsManyBatches() {
        String topic = clients.createTopic("many-batches", 1);
        try (Producer<String, String> producer = clients.producer()) {
            for (int i = 0; i < 100; i++) {
                // Each is answered before the next is sent, so that none shares a batch.
                Clients.sendAll(producer, 1, _ -> new ProducerRecord<>(topic, "v"));
            }
        }
        try (Consumer<String, String> consumer = clients.consumer(Map.of())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            ConsumerRecords<String, String> first = ConsumerRecords.empty();
            while (first.isEmpty()) {
                first = consumer.poll(Duration.ofSeconds(1));
            }
            assertThat(first.count()).isEqualTo(100);
        }
    }

    @Test
    @DisplayName("Q29: a running producer uses partitions that are added; what is there stays")
    void aRunningProducerUsesPartitionsThatAreAdded() {
        String topic = clients.createTopic("growing", 1);
        Map<String, Object> settings =
                Map.of(
                        ProducerConfig.METADATA_MAX_AGE_CONFIG, 200,
                        ProducerConfig.BATCH_SIZE_CONFIG, 100);
        Map<Integer, Long> acknowledged = new ConcurrentHashMap<>();
        List<Exception> failures = new CopyOnWriteArrayList<>();
        AtomicInteger sent = new AtomicInteger();
        try (Producer<String, String> producer = clients.producer(settings);
                Admin admin = clients.admin()) {
            BooleanSupplier more =
                    () -> {
                        var _ =
                                producer.send(
                                        new ProducerRecord<>(
                                                topic, Integer.toString(sent.getAndIncrement())),
                                        (metadata, failure) -> {
                                            if (failure == null) {
                                                acknowledged.merge(
                                                        metadata.partition(), 1L, Long::sum);
                                            } else {
                                                failures.add(failure);
                                            }
                                        });
                        return acknowledged.keySet().size() == 4;
                    };
            Eventually.holds(
                    () -> "nothing is acknowledged",
                    () -> !more.getAsBoolean() && sent.get() > 100);

            Clients.result(
                    admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(4))).all());

            Eventually.holds(() -> "used are " + acknowledged + " of 4", more);
            producer.flush();
        }
        assertThat(failures).isEmpty();
        List<ConsumerRecord<String, String>> all = clients.readAll(topic, 4, sent.get());
        assertThat(all)
                .extracting(ConsumerRecord::value)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, sent.get()).mapToObj(Integer::toString).toList());
        for (int partition = 0; partition < 4; partition++) {
            int number = partition;
            assertThat(all)
                    .filteredOn(record -> record.partition() == number)
                    .extracting(record -> Integer.parseInt(record.value()))
                    .as("partition %d", number)
                    .isSorted()
                    .hasSize(acknowledged.getOrDefault(number, 0L).intValue());
        }
    }

    @Test
    @DisplayName("Q16: a waiting fetch is woken by the message it waits for")
    void aWaitingFetchIsWokenByTheMessageItWaitsFor() throws Exception {
        String topic = clients.createTopic("long-poll", 1);
        try (Consumer<String, String> consumer =
                        clients.consumer(
                                Map.of(
                                        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 600_000,
                                        ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, 700_000));
                Producer<String, String> producer = clients.producer()) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            // The first poll leaves a fetch waiting at the broker.
            assertThat(consumer.poll(Duration.ofMillis(500))).isEmpty();

            producer.send(new ProducerRecord<>(topic, "now")).get(2, TimeUnit.MINUTES);

            assertThat(Clients.read(consumer, 1).getFirst().value()).isEqualTo("now");
            // The next fetch waits already; an ordinary close would wait with it.
            consumer.close(CloseOptions.timeout(Duration.ZERO));
        }
    }

    @Test
    void anOffsetBeyondTheEndIsRefused() {
        String topic = clients.createTopic("range", 1);
        TopicPartition partition = new TopicPartition(topic, 0);
        try (Consumer<String, String> consumer =
                clients.consumer(Map.of(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none"))) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, 1_000_000);

            assertThatThrownBy(() -> Clients.read(consumer, 1))
                    .isInstanceOf(OffsetOutOfRangeException.class);
        }
    }

    @Test
    void plainMessagesAreReadCommitted() {
        String topic = clients.createTopic("isolation", 1);
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(producer, 1, _ -> new ProducerRecord<>(topic, "plain"));
        }
        try (Consumer<String, String> consumer =
                clients.consumer(Map.of(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed"))) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));

            assertThat(Clients.read(consumer, 1).getFirst().value()).isEqualTo("plain");
        }
    }

    @Test
    @DisplayName(
            "Q14: fetches over many partitions keep their sessions and give every partition its"
                    + " share")
    void fetchesOverManyPartitionsGiveEveryPartitionItsShare() {
        String topic = clients.createTopic("wide", 50);
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer, 5000, i -> new ProducerRecord<>(topic, i % 50, null, "v" + i));
        }
        try (Consumer<String, String> consumer =
                clients.consumer(Map.of(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 20_000))) {
            List<TopicPartition> partitions =
                    IntStream.range(0, 50).mapToObj(p -> new TopicPartition(topic, p)).toList();
            consumer.assign(partitions);
            assertThat(Clients.read(consumer, 5000)).hasSize(5000);

            // A changed set of partitions changes the session instead of starting a new one.
            consumer.assign(partitions.subList(10, 20));
            consumer.seekToBeginning(partitions.subList(10, 20));
            assertThat(Clients.read(consumer, 1000))
                    .extracting(ConsumerRecord::partition)
                    .containsOnly(10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
        }
    }

    private static List<String> values(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }
}
