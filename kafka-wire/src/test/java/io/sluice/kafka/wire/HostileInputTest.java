package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.kafka.wire.message.FetchRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.common.protocol.types.Struct;
import org.junit.jupiter.api.Test;

/// Whatever the bytes are, the answer is a message or [MalformedRequest], and nothing else.
class HostileInputTest {
    private static final int LARGEST_SAMPLE = 1500;

    @Test
    void aMessageCutAnywhereIsMalformed() {
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            byte[] bytes = sample(message);
            for (int length = 0; length < bytes.length; length++) {
                WireReader in = new WireReader(ByteBuffer.wrap(bytes, 0, length));
                try {
                    message.decodedByUs(in);
                    fail(message.name() + " cut to " + length + " of " + bytes.length + " is read");
                } catch (MalformedRequest expected) {
                    assertThat(expected.getMessage()).isNotBlank();
                }
            }
        }
    }

    @Test
    void aDirectBufferIsReadLikeAHeapBuffer() {
        WireReader in = new WireReader(ByteBuffer.allocate(0));
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            byte[] bytes = sample(message);
            ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 7).position(7);
            direct.put(bytes).position(7);
            in.reset(direct);
            assertThat(message.decodedByUs(in))
                    .as(message.name())
                    .isEqualTo(message.decodedByUs(bytes));
            assertThat(in.remaining()).isZero();
            assertThat(direct.position()).isEqualTo(7);
        }
    }

    @Test
    void absurdNumbersAnywhereAreReadOrMalformed() {
        byte[][] absurdities = {
            {(byte) 0xff},
            {(byte) 0x80},
            {(byte) 0xff, (byte) 0xff},
            {0x7f, (byte) 0xff},
            {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f},
            {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x07},
            {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff},
            {0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff},
            {(byte) 0x80, 0, 0, 0},
            {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xfe},
        };
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            byte[] bytes = sample(message);
            for (int at = 0; at < bytes.length; at++) {
                for (byte[] absurdity : absurdities) {
                    byte[] mutated = bytes.clone();
                    int length = Math.min(absurdity.length, bytes.length - at);
                    System.arraycopy(absurdity, 0, mutated, at, length);
                    readOrMalformed(message, mutated);
                }
            }
        }
    }

    @Test
    void randomChangesAndRandomBytesAreReadOrMalformed() {
        Random random = new Random(7);
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            byte[] bytes = sample(message);
            for (int i = 0; i < 60; i++) {
                byte[] mutated = Arrays.copyOf(bytes, bytes.length + random.nextInt(8));
                for (int change = random.nextInt(6); change >= 0; change--) {
                    if (mutated.length > 0) {
                        mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
                    }
                }
                readOrMalformed(message, mutated);
                byte[] noise = new byte[random.nextInt(300)];
                random.nextBytes(noise);
                readOrMalformed(message, noise);
            }
        }
    }

    @Test
    void unknownTaggedFieldsArePassedOver() {
        int flexible = 0;
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            byte[] bytes;
            try {
                bytes = message.encodedByUs(message.defaults());
            } catch (UnsupportedVersion e) {
                continue; // A field without a default, records that may not be null.
            }
            ApiKey api = ApiKey.find(((ApiMessage) message.defaults()).apiKey());
            if (api == null || !api.flexible(message.version())) {
                continue;
            }
            flexible++;
            // The last byte says that there are no tagged fields.
            byte[] tags = {2, 99, 3, 1, 2, 3, (byte) 0xff, (byte) 0xff, 3, 0};
            byte[] tagged = Arrays.copyOf(bytes, bytes.length - 1 + tags.length);
            System.arraycopy(tags, 0, tagged, bytes.length - 1, tags.length);
            assertThat(message.decodedByUs(tagged))
                    .as(message.name())
                    .isEqualTo(message.decodedByUs(bytes));

            tagged[bytes.length + 1] = 100; // The first of them longer than the message.
            assertThatThrownBy(() -> message.decodedByUs(tagged))
                    .isInstanceOf(MalformedRequest.class)
                    .hasMessageContainingAll("tagged field", "100");
        }
        assertThat(flexible).isGreaterThan(200);
    }

    @Test
    void aTaggedFieldThatDoesNotFillItsSizeIsMalformed() {
        FetchRequest request = FetchRequest.builder().clusterId("cluster").build();
        byte[] bytes = KafkaMessage.encodedByUs(request, (short) 12);
        int sizeAt = bytes.length - "cluster".length() - 2;
        assertThat(bytes[sizeAt]).isEqualTo((byte) 8);
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        longer[sizeAt] = 9;
        assertThatThrownBy(
                        () ->
                                FetchRequest.read(
                                        new WireReader(ByteBuffer.wrap(longer)), (short) 12))
                .isInstanceOf(MalformedRequest.class)
                .hasMessageContaining("tagged field ends at byte");
        bytes[sizeAt] = 7;
        assertThatThrownBy(
                        () -> FetchRequest.read(new WireReader(ByteBuffer.wrap(bytes)), (short) 12))
                .isInstanceOf(MalformedRequest.class);
    }

    private static void readOrMalformed(KafkaMessage message, byte[] bytes) {
        try {
            message.decodedByUs(new WireReader(ByteBuffer.wrap(bytes)));
        } catch (MalformedRequest expected) {
            assertThat(expected.getMessage()).isNotBlank();
        } catch (RuntimeException e) {
            fail(message.name() + " " + Bytes.hex(bytes), e);
        }
    }

    /// A random message that is not too long to be changed at every byte.
    private static byte[] sample(KafkaMessage message) {
        for (long seed = 1; ; seed++) {
            Struct struct = new RandomStructs(seed).struct(message.schema());
            if (struct.sizeOf() <= LARGEST_SAMPLE) {
                ByteBuffer bytes = ByteBuffer.allocate(struct.sizeOf());
                struct.writeTo(bytes);
                return bytes.array();
            }
        }
    }
}
