package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.Struct;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// Every API in every version, random messages, kafka-clients on one side and we on the other.
@DisplayName("Q38: the documented wire protocol, byte for byte as kafka-clients speaks it")
class CodecOracleTest {
    private static final int MESSAGES_PER_VERSION = 10;

    @Test
    void whatKafkaWritesWeReadAndWriteAgainUnchanged() {
        Set<String> covered = new HashSet<>();
        int messages = 0;
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            for (int i = 0; i < MESSAGES_PER_VERSION; i++) {
                readAndWriteAgain(message, seed(message, i));
                messages++;
            }
            covered.add(message.name());
        }
        int expected = 0;
        for (ApiKeys api : ApiKeys.values()) {
            if (api.hasValidVersion()) {
                expected += 2 * (api.latestVersion(true) - api.oldestVersion() + 1);
            }
        }
        System.out.printf(
                "oracle: %d API x version pairs, requests and responses, %d messages%n",
                covered.size() / 2, messages);
        assertThat(covered).hasSize(expected);
    }

    @Test
    void headersAndConsumerDataAreReadAndWrittenUnchanged() {
        for (KafkaMessage message : KafkaMessage.ofHeadersAndData()) {
            for (int i = 0; i < MESSAGES_PER_VERSION; i++) {
                readAndWriteAgain(message, seed(message, i));
            }
        }
    }

    private static void readAndWriteAgain(KafkaMessage message, long seed) {
        String what = message.name() + ", seed " + seed;
        Struct struct = new RandomStructs(seed).struct(message.schema());
        ByteBuffer raw = ByteBuffer.allocate(struct.sizeOf());
        struct.writeTo(raw);
        Message kafka = message.decodedByKafka(raw.array());
        byte[] bytes = message.encodedByKafka(kafka);

        Record ours = message.decodedByUs(bytes);
        assertSameBytes(what, message.encodedByUs(ours), bytes);
        assertThat(KafkaMirror.of(ours, message.kafka().get())).as(what).isEqualTo(kafka);
        // The struct may spell out tagged fields that hold their default, which neither side
        // writes.
        assertThat(message.decodedByUs(raw.array())).as(what).isEqualTo(ours);
    }

    @Test
    void whatWeBuildKafkaReads() {
        List<KafkaMessage> all = new ArrayList<>(KafkaMessage.ofAllApis());
        all.addAll(KafkaMessage.ofHeadersAndData());
        for (KafkaMessage message : all) {
            for (int i = 0; i < MESSAGES_PER_VERSION; i++) {
                long seed = ~seed(message, i);
                String what = message.name() + ", seed " + seed;
                Struct struct = new RandomStructs(seed).struct(message.schema());
                Record ours = OurRecords.fromStruct(message.ours(), struct);
                Message mirror = KafkaMirror.of(ours, message.kafka().get());

                byte[] bytes = message.encodedByUs(ours);

                assertThat(message.decodedByKafka(bytes)).as(what).isEqualTo(mirror);
                assertSameBytes(what, bytes, message.encodedByKafka(mirror));
                assertThat(message.decodedByUs(bytes)).as(what).isEqualTo(ours);
                assertThat(message.decodedByUs(bytes)).as(what).hasSameHashCodeAs(ours);
            }
        }
    }

    @Test
    void aMessageLeftAtItsDefaultsIsTheSameMessageThere() {
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            Record ours = OurRecords.build(message.ours(), Map.of());
            assertThat(KafkaMirror.of(ours, message.kafka().get()))
                    .as(message.name())
                    .isEqualTo(message.kafka().get());
        }
    }

    /// Compares hex only when it must: element by element takes most of the time of this test otherwise.
    private static void assertSameBytes(String what, byte[] ours, byte[] kafkas) {
        if (!Arrays.equals(ours, kafkas)) {
            assertThat(Bytes.hex(ours)).as(what).isEqualTo(Bytes.hex(kafkas));
        }
    }

    private static long seed(KafkaMessage message, int i) {
        return message.name().hashCode() * 1000L + i;
    }
}
