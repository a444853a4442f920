package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Q6, Q7: the user chooses delivery and profile")
class PresetTest {
    private static final List<String> PRODUCER_KEYS =
            List.of(
                    "acks",
                    "retries",
                    "enable.idempotence",
                    "max.in.flight.requests.per.connection",
                    "linger.ms",
                    "batch.size",
                    "compression.type",
                    "buffer.memory");
    private static final List<String> CONSUMER_KEYS =
            List.of(
                    "enable.auto.commit",
                    "auto.offset.reset",
                    "isolation.level",
                    "fetch.min.bytes",
                    "fetch.max.wait.ms",
                    "max.partition.fetch.bytes",
                    "max.poll.records");

    @Test
    void readmeTablesAreWhatTheCodeSets() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        for (Preset preset : everyPreset()) {
            assertThat(readme)
                    .contains(row(preset, producer(preset, Map.of()), PRODUCER_KEYS))
                    .contains(row(preset, consumer(preset, Map.of()), CONSUMER_KEYS));
        }
    }

    @Test
    void tablesLeaveNothingOut() {
        for (Preset preset : everyPreset()) {
            assertThat(producer(preset, Map.of()).keySet())
                    .isSubsetOf(with(PRODUCER_KEYS, "transactional.id"));
            assertThat(consumer(preset, Map.of()).keySet()).isSubsetOf(CONSUMER_KEYS);
        }
    }

    /// kafka-clients checks combinations of its own (idempotence against acks, retries and requests in flight).
    @Test
    void kafkaClientsAcceptsEveryCombination() {
        for (Preset preset : everyPreset()) {
            Map<String, Object> producer = producer(preset, Map.of());
            producer.put("bootstrap.servers", "localhost:9092");
            producer.put("key.serializer", StringSerializer.class);
            producer.put("value.serializer", StringSerializer.class);
            assertThat(new ProducerConfig(producer).getString("acks")).isNotEmpty();
            Map<String, Object> consumer = consumer(preset, Map.of());
            consumer.put("bootstrap.servers", "localhost:9092");
            consumer.put("key.deserializer", StringDeserializer.class);
            consumer.put("value.deserializer", StringDeserializer.class);
            assertThat(new ConsumerConfig(consumer).getInt("max.poll.records")).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(Profile.class)
    @DisplayName("Q31: acks=0, no retry")
    void atMostOnceSendsOnceAndDoesNotWait(Profile profile) {
        assertThat(new Preset(Delivery.AT_MOST_ONCE, profile).producer(Map.of()))
                .containsEntry("acks", "0")
                .containsEntry("retries", 0);
    }

    @ParameterizedTest
    @EnumSource(Profile.class)
    @DisplayName("Q32: acks=all with retry")
    void atLeastOnceIsAcknowledgedAndRetried(Profile profile) {
        assertThat(new Preset(Delivery.AT_LEAST_ONCE, profile).producer(Map.of()))
                .containsEntry("acks", "all")
                .containsEntry("retries", Integer.MAX_VALUE);
    }

    @ParameterizedTest
    @CsvSource({
        "at-most-once,  producer, retries=3",
        "at-most-once,  producer, enable.idempotence=true",
        "at-most-once,  producer, transactional.id=billing-1",
        "at-most-once,  consumer, enable.auto.commit=true",
        "at-least-once, producer, acks=0",
        "at-least-once, producer, retries=0",
        "at-least-once, producer, acks=1;enable.idempotence=true",
        "at-least-once, producer, acks=1;max.in.flight.requests.per.connection=5",
        "at-least-once, producer, enable.idempotence=false;max.in.flight.requests.per.connection=2",
        "at-least-once, producer, transactional.id=billing-1",
        "at-least-once, consumer, enable.auto.commit=true",
        "exactly-once,  producer, acks=0;transactional.id=a",
        "exactly-once,  producer, acks=1;transactional.id=a",
        "exactly-once,  producer, retries=0;transactional.id=a",
        "exactly-once,  producer, enable.idempotence=false;transactional.id=a",
        "exactly-once,  producer, linger.ms=1",
        "exactly-once,  consumer, isolation.level=read_uncommitted",
        "exactly-once,  consumer, enable.auto.commit=TRUE"
    })
    void overrideThatBreaksThePromiseIsRefusedWithBothKeysNamed(
            String delivery, String side, String overrides) {
        var preset = new Preset(Delivery.labelled(delivery), Profile.BALANCED);
        Map<String, String> given = parse(overrides);
        assertThatThrownBy(
                        () -> {
                            if (side.equals("producer")) {
                                preset.producer(given);
                            } else {
                                preset.consumer(given);
                            }
                        })
                .isInstanceOf(PresetConflictException.class)
                .hasMessageStartingWith("delivery=" + delivery + " needs ")
                .satisfies(
                        e ->
                                assertThat(keysNamedIn(String.valueOf(e.getMessage())))
                                        .containsAnyElementsOf(named(given)));
    }

    @ParameterizedTest
    @CsvSource({
        "at-most-once,  producer, acks=1",
        "at-most-once,  producer, linger.ms=50",
        "at-most-once,  consumer, auto.offset.reset=earliest",
        "at-least-once, producer, acks=-1",
        "at-least-once, producer, acks=1",
        "at-least-once, producer, retries=3",
        "at-least-once, producer, enable.idempotence=false",
        "at-least-once, producer, compression.type=zstd",
        "at-least-once, consumer, isolation.level=read_committed",
        "exactly-once,  producer, transactional.id=a;linger.ms=0",
        "exactly-once,  consumer, max.poll.records=1"
    })
    void otherOverridesWin(String delivery, String side, String overrides) {
        var preset = new Preset(Delivery.labelled(delivery), Profile.BALANCED);
        Map<String, String> given = parse(overrides);
        Map<String, Object> settings =
                side.equals("producer") ? preset.producer(given) : preset.consumer(given);
        assertThat(settings).containsAllEntriesOf(given);
    }

    @Test
    void leaderOnlyAcknowledgementKeepsTheOrderByOneRequestInFlight() {
        var preset = new Preset(Delivery.AT_LEAST_ONCE, Profile.THROUGHPUT);
        assertThat(preset.producer(Map.of("acks", "1")))
                .containsEntry("enable.idempotence", false)
                .containsEntry("max.in.flight.requests.per.connection", 1);
    }

    @Test
    void labelsAreReadBackAndUnknownOnesNameTheChoice() {
        for (Delivery delivery : Delivery.values()) {
            assertThat(Delivery.labelled(delivery.label())).isEqualTo(delivery);
        }
        for (Profile profile : Profile.values()) {
            assertThat(Profile.labelled(profile.label())).isEqualTo(profile);
        }
        assertThatThrownBy(() -> Delivery.labelled("twice"))
                .hasMessageContaining("'twice'")
                .hasMessageContaining("at-least-once");
        assertThatThrownBy(() -> Profile.labelled("fast"))
                .hasMessageContaining("'fast'")
                .hasMessageContaining("latency");
    }

    private static List<Preset> everyPreset() {
        List<Preset> presets = new ArrayList<>();
        for (Delivery delivery : Delivery.values()) {
            for (Profile profile : Profile.values()) {
                presets.add(new Preset(delivery, profile));
            }
        }
        return presets;
    }

    private static Map<String, Object> producer(Preset preset, Map<String, String> overrides) {
        Map<String, String> all = new HashMap<>(overrides);
        if (preset.delivery() == Delivery.EXACTLY_ONCE) {
            all.put("transactional.id", "billing-1");
        }
        return preset.producer(all);
    }

    private static Map<String, Object> consumer(Preset preset, Map<String, String> overrides) {
        return preset.consumer(overrides);
    }

    private static String row(Preset preset, Map<String, Object> settings, List<String> keys) {
        var row = new StringBuilder("| ");
        row.append(preset.delivery().label()).append(", ").append(preset.profile().label());
        keys.forEach(key -> row.append(" | ").append(settings.get(key)));
        return row.append(" |").toString();
    }

    private static Map<String, String> parse(String overrides) {
        Map<String, String> parsed = new HashMap<>();
        for (String override : overrides.split(";")) {
            parsed.put(override.split("=")[0].trim(), override.split("=")[1].trim());
        }
        return parsed;
    }

    private static List<String> named(Map<String, String> given) {
        // Where something is missing, the missing key is the one to name.
        return given.containsKey("linger.ms")
                ? List.of("transactional.id")
                : List.copyOf(given.keySet());
    }

    private static List<String> keysNamedIn(String message) {
        List<String> keys = new ArrayList<>();
        for (String key : with(with(PRODUCER_KEYS, "transactional.id"), CONSUMER_KEYS)) {
            if (message.contains(key)) {
                keys.add(key);
            }
        }
        return keys;
    }

    private static List<String> with(List<String> keys, String more) {
        return with(keys, List.of(more));
    }

    private static List<String> with(List<String> keys, List<String> more) {
        List<String> all = new ArrayList<>(keys);
        all.addAll(more);
        return all;
    }
}
