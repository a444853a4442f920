package io.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SluiceExtension.class)
class SluiceExtensionTest {
    private static Sluice shared;

    @BeforeAll
    static void remember(Sluice sluice) {
        shared = sluice;
    }

    /// Q1, Q5: text goes in, the same text comes out, in its order.
    @Test
    void whatIsProducedIsConsumedInOrder(Sluice sluice) throws Exception {
        List<String> sent = produce(sluice.bootstrap(), "greetings", 100);
        assertThat(consume(sluice.bootstrap(), "greetings", 100)).isEqualTo(sent);
    }

    /// Q1: bytes that are no text in any encoding, as key and as value, of every length around the usual ones.
    @Test
    void binaryMessagesTravelUnchanged(Sluice sluice) throws Exception {
        List<byte[]> sent = new ArrayList<>();
        Random random = new Random(1);
        for (int size : List.of(0, 1, 127, 128, 255, 256, 16_383, 16_384, 500_000)) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            sent.add(bytes);
        }
        byte[] every = new byte[256];
        for (int i = 0; i < every.length; i++) {
            every[i] = (byte) i;
        }
        sent.add(every);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", sluice.bootstrap()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (byte[] bytes : sent) {
                producer.send(new ProducerRecord<>("binary", 0, bytes, bytes)).get();
            }
        }
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", sluice.bootstrap()),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.assign(List.of(new TopicPartition("binary", 0)));
            consumer.seekToBeginning(consumer.assignment());
            List<byte[]> values = new ArrayList<>();
            List<byte[]> keys = new ArrayList<>();
            while (values.size() < sent.size()) {
                for (ConsumerRecord<byte[], byte[]> record :
                        consumer.poll(Duration.ofSeconds(10))) {
                    keys.add(record.key());
                    values.add(record.value());
                }
            }
            assertThat(values.toArray(byte[][]::new)).isDeepEqualTo(sent.toArray(byte[][]::new));
            assertThat(keys.toArray(byte[][]::new)).isDeepEqualTo(sent.toArray(byte[][]::new));
        }
    }

    @Test
    void healthAndMetricsAnswer(Sluice sluice) throws Exception {
        assertThat(get(sluice.adminUrl() + "/health/live")).contains("live");
        assertThat(get(sluice.adminUrl() + "/health/ready")).contains("ready");
        assertThat(get(sluice.adminUrl() + "/metrics")).contains("sluice_requests_total");
    }

    /// Q8: data is on disk and is there after a restart.
    @Test
    void aRestartOnTheSameDirectoryKeepsEverything(@TempDir Path data) throws Exception {
        List<String> sent;
        try (Sluice first = Sluice.on(data, Map.of())) {
            sent = produce(first.bootstrap(), "kept", 50);
        }
        try (Sluice second = Sluice.on(data, Map.of())) {
            assertThat(consume(second.bootstrap(), "kept", 50)).isEqualTo(sent);
        }
    }

    @Test
    void anEphemeralBrokerLeavesNothingBehind() {
        Path data;
        try (Sluice sluice = Sluice.ephemeral()) {
            data = sluice.data();
            assertThat(data).exists();
        }
        assertThat(Files.exists(data)).isFalse();
    }

    /// JUnit runs nested classes after the tests around them, one after the other: the first must neither start a broker of its own nor end the one that all share.
    @Nested
    class OneNestedClass {
        @Test
        void sharesTheBroker(Sluice sluice, TestInfo test) throws Exception {
            assertShared(sluice, test);
        }
    }

    @Nested
    class AnotherNestedClass {
        @Test
        void sharesTheBroker(Sluice sluice, TestInfo test) throws Exception {
            assertShared(sluice, test);
        }

        @Nested
        class Deeper {
            @Test
            void sharesTheBroker(Sluice sluice, TestInfo test) throws Exception {
                assertShared(sluice, test);
            }
        }
    }

    private static void assertShared(Sluice sluice, TestInfo test) throws Exception {
        assertThat(sluice).isSameAs(shared);
        assertThat(get(sluice.adminUrl() + "/health/ready")).isEqualTo("ready\n");
        String topic = test.getTestClass().orElseThrow().getSimpleName();
        List<String> sent = produce(sluice.bootstrap(), topic, 1);
        assertThat(consume(sluice.bootstrap(), topic, 1)).isEqualTo(sent);
    }

    private static List<String> produce(String bootstrap, String topic, int count)
            throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
        }
        List<String> sent = new ArrayList<>();
        List<Future<RecordMetadata>> acknowledged = new ArrayList<>();
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrap, "acks", "all"),
                        new StringSerializer(),
                        new StringSerializer())) {
            for (int i = 0; i < count; i++) {
                sent.add("message " + i);
                acknowledged.add(producer.send(new ProducerRecord<>(topic, "key", "message " + i)));
            }
        }
        for (Future<RecordMetadata> one : acknowledged) {
            one.get();
        }
        return sent;
    }

    private static List<String> consume(String bootstrap, String topic, int count) {
        List<String> received = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest"),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            consumer.seekToBeginning(consumer.assignment());
            while (received.size() < count) {
                consumer.poll(Duration.ofSeconds(10))
                        .forEach(record -> received.add(record.value()));
            }
        }
        return received;
    }

    private static String get(String url) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(url)).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
