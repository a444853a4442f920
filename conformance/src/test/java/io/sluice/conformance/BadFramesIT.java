package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.raw.Batches;
import io.sluice.conformance.raw.Frames;
import io.sluice.conformance.raw.RawSocket;
import io.sluice.conformance.raw.RawSocket.Reaction;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Frames that no client would send: a clear error or a closed connection, and everyone else is served throughout.
@Tag("bad-input")
@ExtendWith(BrokerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadFramesIT {
    private static final int ABSURD = Integer.MAX_VALUE;

    private final Broker broker;
    private final Clients clients;
    private final HealthyClient healthy;

    BadFramesIT(Broker broker) {
        this.broker = broker;
        clients = new Clients(broker);
        healthy = new HealthyClient(clients);
    }

    @AfterEach
    void everyoneElseIsServed() {
        healthy.assertServed();
    }

    @AfterAll
    void close() {
        healthy.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 500_000_000, 0, 1, 7})
    void aFrameOfAnImpossibleSizeClosesItsConnection(int size) {
        byte[] bytes = ByteBuffer.allocate(64).putInt(size).array();

        assertThat(reactionTo(bytes)).isInstanceOf(Reaction.Closed.class);
    }

    @Test
    void aTruncatedFrameClosesItsConnectionAtTheEnd() {
        byte[] whole = Frames.apiVersions();
        for (int length = 1; length < whole.length; length++) {
            try (RawSocket socket = new RawSocket(broker)) {
                socket.send(Arrays.copyOf(whole, length)).endOutput();
                assertThat(socket.reaction())
                        .as("%d bytes", length)
                        .isInstanceOf(Reaction.Closed.class);
            }
        }
    }

    @Test
    void aFrameInManyPiecesIsAnswered() {
        try (RawSocket socket = new RawSocket(broker)) {
            for (byte one : Frames.apiVersions()) {
                socket.send(new byte[] {one});
            }
            assertThat(socket.answer().getInt()).isEqualTo(7);
        }
    }

    @Test
    void anUnknownApiClosesItsConnection() {
        assertThat(reactionTo(Frames.frame(9999, 0, new byte[0])))
                .isInstanceOf(Reaction.Closed.class);
        assertThat(reactionTo(Frames.frame(-1, 0, new byte[0])))
                .isInstanceOf(Reaction.Closed.class);
    }

    @Test
    void anUnknownVersionClosesItsConnection() {
        assertThat(reactionTo(Frames.frame(ApiKeys.METADATA.id, 99, new byte[20])))
                .isInstanceOf(Reaction.Closed.class);
        assertThat(reactionTo(Frames.frame(ApiKeys.PRODUCE.id, -1, new byte[20])))
                .isInstanceOf(Reaction.Closed.class);
    }

    /// KIP-511: the first question of a newer client has to be answered, or it could never find out what this broker speaks.
    @Test
    void anUnknownVersionOfApiVersionsIsAnsweredWithTheKnownOnes() {
        try (RawSocket socket = new RawSocket(broker)) {
            ByteBuffer answer =
                    socket.send(Frames.frame(ApiKeys.API_VERSIONS.id, 99, new byte[20])).answer();

            ByteBufferAccessor readable = new ByteBufferAccessor(answer);
            new ResponseHeaderData(readable, (short) 0);
            ApiVersionsResponseData versions = new ApiVersionsResponseData(readable, (short) 0);
            assertThat(versions.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
            assertThat(versions.apiKeys().find(ApiKeys.API_VERSIONS.id)).isNotNull();
        }
    }

    @Test
    void absurdCountsAndLengthsCloseTheirConnection() {
        byte[] manyTopics = ByteBuffer.allocate(20).putInt(ABSURD).array();
        byte[] longName = ByteBuffer.allocate(20).putInt(1).putShort(Short.MAX_VALUE).array();
        byte[] negativeLength = ByteBuffer.allocate(20).putInt(1).putShort((short) -7).array();

        for (byte[] body : List.of(manyTopics, longName, negativeLength)) {
            assertThat(reactionTo(Frames.frame(ApiKeys.METADATA.id, 1, body)))
                    .isInstanceOf(Reaction.Closed.class);
        }
        byte[] hugeRecords =
                ByteBuffer.allocate(64)
                        .putShort((short) -1)
                        .putShort((short) 1)
                        .putInt(1000)
                        .putInt(1)
                        .putShort((short) 1)
                        .put((byte) 't')
                        .putInt(1)
                        .putInt(0)
                        .putInt(ABSURD)
                        .array();
        assertThat(reactionTo(Frames.frame(ApiKeys.PRODUCE.id, 3, hugeRecords)))
                .isInstanceOf(Reaction.Closed.class);
    }

    @Test
    void randomBytesAreSurvived() {
        Random random = new Random(4711);
        for (int round = 0; round < 300; round++) {
            byte[] noise = new byte[4 + random.nextInt(400)];
            random.nextBytes(noise);
            if (round % 2 == 0) {
                // A size that fits, so that the noise reaches the decoder.
                ByteBuffer.wrap(noise).putInt(noise.length - 4);
                ByteBuffer.wrap(noise).putShort(4, (short) random.nextInt(70));
                ByteBuffer.wrap(noise).putShort(6, (short) random.nextInt(12));
            }
            assertSurvived(noise, "noise of round " + round);
        }
    }

    @Test
    void spoiltRequestsAreSurvived() {
        Random random = new Random(815);
        List<byte[]> requests = requests(clients.createTopic("spoilt", 1));
        for (int round = 0; round < 1_500; round++) {
            byte[] original = requests.get(random.nextInt(requests.size()));
            byte[] spoilt = spoil(original, random);
            assertSurvived(spoilt, "spoilt request of round " + round);
        }
    }

    /// Anything but silence will do. (Apache Kafka is silent where a spoilt fetch asks to wait for days: it does not look for the end of a connection's
    /// input before it has answered.)
    private void assertSurvived(byte[] bytes, String description) {
        try (RawSocket socket = new RawSocket(broker)) {
            Reaction reaction = socket.send(bytes).endOutput().reaction();
            assertThat(reaction).as(description).isNotInstanceOf(Reaction.Silence.class);
        }
    }

    private Reaction reactionTo(byte[] bytes) {
        try (RawSocket socket = new RawSocket(broker)) {
            return socket.send(bytes).reaction();
        }
    }

    /// Flips bits, overwrites numbers or cuts; the size in front is put right half of the time.
    private static byte[] spoil(byte[] original, Random random) {
        byte[] bytes = original.clone();
        int changes = 1 + random.nextInt(3);
        for (int change = 0; change < changes; change++) {
            int at = 8 + random.nextInt(bytes.length - 8);
            switch (random.nextInt(4)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt(256);
                case 2 -> ByteBuffer.wrap(bytes).putInt(Math.min(at, bytes.length - 4), ABSURD);
                default -> bytes = Arrays.copyOf(bytes, Math.max(12, at));
            }
        }
        if (random.nextBoolean()) {
            ByteBuffer.wrap(bytes).putInt(0, bytes.length - 4);
        }
        return bytes;
    }

    private static List<byte[]> requests(String topic) {
        return List.of(
                Frames.apiVersions(),
                Frames.produce(topic, Batches.valid()),
                Frames.fetch(topic, 0, 1000, 0),
                Frames.request(ApiKeys.METADATA, 12, new MetadataRequestData().setTopics(null)),
                Frames.request(
                        ApiKeys.LIST_OFFSETS,
                        7,
                        new ListOffsetsRequestData()
                                .setReplicaId(-1)
                                .setTopics(
                                        List.of(
                                                new ListOffsetsRequestData.ListOffsetsTopic()
                                                        .setName(topic)
                                                        .setPartitions(
                                                                List.of(
                                                                        new ListOffsetsRequestData
                                                                                        .ListOffsetsPartition()
                                                                                .setTimestamp(
                                                                                        -1)))))),
                Frames.request(
                        ApiKeys.FIND_COORDINATOR,
                        4,
                        new FindCoordinatorRequestData().setCoordinatorKeys(List.of("a", "b"))),
                Frames.request(
                        ApiKeys.JOIN_GROUP,
                        5,
                        new JoinGroupRequestData()
                                .setGroupId("spoilt")
                                .setSessionTimeoutMs(6000)
                                .setRebalanceTimeoutMs(6000)
                                .setProtocolType("consumer")),
                Frames.request(
                        ApiKeys.OFFSET_COMMIT,
                        8,
                        new OffsetCommitRequestData()
                                .setGroupId("spoilt")
                                .setTopics(
                                        List.of(
                                                new OffsetCommitRequestData
                                                                .OffsetCommitRequestTopic()
                                                        .setName(topic)))),
                Frames.request(
                        ApiKeys.DESCRIBE_GROUPS,
                        5,
                        new DescribeGroupsRequestData().setGroups(List.of("spoilt"))),
                Frames.request(
                        ApiKeys.CREATE_TOPICS,
                        5,
                        new CreateTopicsRequestData().setTimeoutMs(1000).setValidateOnly(true)));
    }
}
