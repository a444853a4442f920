package io.sluice.coordinator.groups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.coordinator.ChangeFormat.MalformedChange;
import io.sluice.coordinator.groups.Generation.GenerationMember;
import io.sluice.coordinator.groups.GroupChange.GenerationRecorded;
import io.sluice.coordinator.groups.GroupChange.GroupForgotten;
import io.sluice.coordinator.groups.GroupChange.OffsetCommitted;
import io.sluice.coordinator.groups.GroupChange.OffsetForgotten;
import io.sluice.coordinator.groups.GroupCommand.Client;
import io.sluice.coordinator.groups.GroupCommand.Timeouts;
import io.sluice.record.LogRecord;
import io.sluice.record.PartitionId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.coordinator.group.generated.GroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.GroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The bytes of `docs/formats/group-records.md`, and Kafka's own classes as the oracle in both directions.
class GroupRecordFormatTest {
    private static final UUID TOPIC_ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    private final GroupRecordFormat format = new GroupRecordFormat();

    private final OffsetCommitted offset =
            new OffsetCommitted(
                    "g",
                    new PartitionId("orders", 3),
                    new CommittedOffset(42, 7, "m", 1_000, CommittedOffset.NEVER, null));
    private final GenerationRecorded generation =
            new GenerationRecorded(
                    "g",
                    new Generation(
                            5,
                            "consumer",
                            "range",
                            "a-1",
                            2_000,
                            List.of(
                                    new GenerationMember(
                                            "a-1",
                                            null,
                                            new Client("a", "/127.0.0.1"),
                                            new Timeouts(45_000, 300_000),
                                            Blob.utf8("sub"),
                                            Blob.utf8("assigned")),
                                    new GenerationMember(
                                            "b-2",
                                            "b",
                                            new Client("", ""),
                                            new Timeouts(6_000, 6_000),
                                            Blob.EMPTY,
                                            Blob.EMPTY)),
                            true));

    private LogRecord encode(GroupChange change) {
        return Objects.requireNonNull(format.encode(change, 0));
    }

    private static String hex(@Nullable ByteBuffer bytes) {
        byte[] copy = new byte[Objects.requireNonNull(bytes).remaining()];
        bytes.duplicate().get(copy);
        return HexFormat.of().formatHex(copy);
    }

    private static ByteBuffer view(@Nullable ByteBuffer bytes) {
        return Objects.requireNonNull(bytes).duplicate();
    }

    @Test
    void goldenBytesOfAnOffset() {
        LogRecord record = encode(offset);
        assertThat(hex(record.key()))
                .isEqualTo("0001" + "000167" + "00066f7264657273" + "00000003");
        assertThat(hex(record.value()))
                .isEqualTo(
                        "0003" + "000000000000002a" + "00000007" + "00016d" + "00000000000003e8");
    }

    @Test
    void goldenBytesOfAnOffsetWithATopicId() {
        OffsetCommitted withId =
                new OffsetCommitted(
                        "g",
                        new PartitionId("orders", 3),
                        new CommittedOffset(42, 7, "m", 1_000, CommittedOffset.NEVER, TOPIC_ID));
        assertThat(hex(encode(withId).value()))
                .isEqualTo(
                        "0004"
                                + "000000000000002a"
                                + "00000007"
                                + "026d"
                                + "00000000000003e8"
                                + "010010"
                                + "00112233445566778899aabbccddeeff");
        assertThat(format.decode(encode(withId))).isEqualTo(withId);
    }

    @Test
    void goldenBytesOfAGeneration() {
        LogRecord record = encode(generation);
        assertThat(hex(record.key())).isEqualTo("0002" + "000167");
        assertThat(hex(record.value()))
                .isEqualTo(
                        "0003"
                                + "0008636f6e73756d6572"
                                + "00000005"
                                + "000572616e6765"
                                + "0003612d31"
                                + "00000000000007d0"
                                + "00000002"
                                + ("0003612d31" + "ffff" + "000161" + "000a2f3132372e302e302e31")
                                + ("000493e0" + "0000afc8")
                                + ("00000003737562" + "0000000861737369676e6564")
                                + ("0003622d32" + "000162" + "0000" + "0000")
                                + ("00001770" + "00001770" + "00000000" + "00000000"));
    }

    @Test
    void kafkaReadsAnOffset() {
        LogRecord record = encode(offset);
        ByteBuffer key = view(record.key());
        assertThat(key.getShort()).isEqualTo((short) 1);
        OffsetCommitKey kafkaKey = new OffsetCommitKey(new ByteBufferAccessor(key), (short) 0);
        assertThat(kafkaKey.group()).isEqualTo("g");
        assertThat(kafkaKey.topic()).isEqualTo("orders");
        assertThat(kafkaKey.partition()).isEqualTo(3);
        assertThat(key.remaining()).isZero();
        ByteBuffer value = view(record.value());
        OffsetCommitValue kafkaValue =
                new OffsetCommitValue(new ByteBufferAccessor(value), value.getShort());
        assertThat(kafkaValue.offset()).isEqualTo(42);
        assertThat(kafkaValue.leaderEpoch()).isEqualTo(7);
        assertThat(kafkaValue.metadata()).isEqualTo("m");
        assertThat(kafkaValue.commitTimestamp()).isEqualTo(1_000);
        assertThat(value.remaining()).isZero();
    }

    @Test
    void kafkaReadsAGeneration() {
        LogRecord record = encode(generation);
        ByteBuffer key = view(record.key());
        assertThat(key.getShort()).isEqualTo((short) 2);
        assertThat(new GroupMetadataKey(new ByteBufferAccessor(key), (short) 0).group())
                .isEqualTo("g");
        ByteBuffer value = view(record.value());
        GroupMetadataValue read =
                new GroupMetadataValue(new ByteBufferAccessor(value), value.getShort());
        assertThat(value.remaining()).isZero();
        assertThat(read).isEqualTo(kafkaGeneration());
    }

    private static GroupMetadataValue kafkaGeneration() {
        return new GroupMetadataValue()
                .setProtocolType("consumer")
                .setGeneration(5)
                .setProtocol("range")
                .setLeader("a-1")
                .setCurrentStateTimestamp(2_000)
                .setMembers(
                        List.of(
                                new GroupMetadataValue.MemberMetadata()
                                        .setMemberId("a-1")
                                        .setClientId("a")
                                        .setClientHost("/127.0.0.1")
                                        .setRebalanceTimeout(300_000)
                                        .setSessionTimeout(45_000)
                                        .setSubscription("sub".getBytes(StandardCharsets.UTF_8))
                                        .setAssignment("assigned".getBytes(StandardCharsets.UTF_8)),
                                new GroupMetadataValue.MemberMetadata()
                                        .setMemberId("b-2")
                                        .setGroupInstanceId("b")
                                        .setClientId("")
                                        .setClientHost("")
                                        .setRebalanceTimeout(6_000)
                                        .setSessionTimeout(6_000)
                                        .setSubscription(new byte[0])
                                        .setAssignment(new byte[0])));
    }

    /// Versions 3 and 4 carry all fields; older ones lack some, and get the defaults.
    @ParameterizedTest
    @ValueSource(shorts = {0, 1, 2, 3, 4})
    void generationsThatKafkaWroteAreRead(short version) {
        LogRecord record = encode(generation);
        GroupChange read =
                format.decode(LogRecord.of(0, record.key(), kafka(kafkaGeneration(), version)));
        assertThat(read).isInstanceOf(GenerationRecorded.class);
        Generation decoded = ((GenerationRecorded) Objects.requireNonNull(read)).generation();
        if (version >= 3) {
            assertThat(read).isEqualTo(generation);
        }
        assertThat(decoded.number()).isEqualTo(5);
        assertThat(decoded.sinceMillis()).isEqualTo(version >= 2 ? 2_000 : -1);
        assertThat(decoded.members().getFirst().timeouts())
                .isEqualTo(new Timeouts(45_000, version >= 1 ? 300_000 : 45_000));
        assertThat(decoded.members().getFirst().assignment()).isEqualTo(Blob.utf8("assigned"));
    }

    @ParameterizedTest
    @ValueSource(shorts = {0, 1, 2, 3, 4})
    void offsetsThatKafkaWroteAreRead(short version) {
        OffsetCommitValue value =
                new OffsetCommitValue()
                        .setOffset(42)
                        .setLeaderEpoch(7)
                        .setMetadata("m")
                        .setCommitTimestamp(1_000)
                        .setExpireTimestamp(version == 1 ? 9_000 : -1);
        LogRecord record = LogRecord.of(0, encode(offset).key(), kafka(value, version));
        assertThat(format.decode(record))
                .isEqualTo(
                        new OffsetCommitted(
                                "g",
                                new PartitionId("orders", 3),
                                new CommittedOffset(
                                        42,
                                        version >= 3 ? 7 : -1,
                                        "m",
                                        1_000,
                                        version == 1 ? 9_000 : CommittedOffset.NEVER,
                                        null)));
    }

    private static ByteBuffer kafka(Message message, short version) {
        return MessageUtil.toVersionPrefixedByteBuffer(version, message);
    }

    @Test
    void whatIsWrittenIsReadBack() {
        OffsetCommitted expiring =
                new OffsetCommitted(
                        "grüppe",
                        new PartitionId("t", 0),
                        new CommittedOffset(1, -1, "", 5, 6, null));
        for (GroupChange change :
                List.of(
                        offset,
                        generation,
                        expiring,
                        new OffsetForgotten("g", new PartitionId("orders", 3)),
                        new GroupForgotten("g"),
                        new GenerationRecorded("g", Generation.NONE.nextEmpty("connect", 77)))) {
            assertThat(format.decode(encode(change))).isEqualTo(change);
        }
    }

    @Test
    void generationWithoutAnyAssignmentIsOnlyFormed() {
        GenerationRecorded formed =
                new GenerationRecorded(
                        "g",
                        generation
                                .generation()
                                .withMembers(
                                        List.of(generation.generation().members().get(1)), false));
        assertThat(format.decode(encode(formed))).isEqualTo(formed);
    }

    @Test
    void whatOnlyMemoryNeedsIsNotWritten() {
        assertThat(format.encode(new GroupChange.MemberSeen("g", "a-1", 5), 0)).isNull();
        assertThat(format.encode(new GroupChange.GroupMoved(Group.unknown("g")), 0)).isNull();
    }

    @Test
    void otherKindsOfRecordsArePassedOver() {
        for (short kind : new short[] {3, 5, 8, 15, 20}) {
            ByteBuffer key = new FieldWriter().int16(kind).string("g").finish();
            assertThat(format.decode(LogRecord.of(0, key, ByteBuffer.allocate(4)))).isNull();
        }
    }

    @Test
    void everyTruncationIsNoticed() {
        for (GroupChange change : List.of(offset, generation)) {
            LogRecord record = encode(change);
            ByteBuffer value = view(record.value());
            for (int length = 0; length < value.remaining(); length++) {
                LogRecord cut = LogRecord.of(0, record.key(), value.slice(0, length));
                assertThatThrownBy(() -> format.decode(cut)).isInstanceOf(MalformedChange.class);
            }
        }
    }

    @Test
    void absurdCountsAreRefusedBeforeAnythingIsAllocated() {
        ByteBuffer value =
                new FieldWriter()
                        .int16(3)
                        .string("consumer")
                        .int32(1)
                        .string("range")
                        .string("a")
                        .int64(0)
                        .int32(Integer.MAX_VALUE)
                        .finish();
        assertThatThrownBy(() -> format.decode(LogRecord.of(0, encode(generation).key(), value)))
                .isInstanceOf(MalformedChange.class);
        ByteBuffer ofTheFuture = new FieldWriter().int16(5).int64(1).finish();
        assertThatThrownBy(() -> format.decode(LogRecord.of(0, encode(offset).key(), ofTheFuture)))
                .isInstanceOf(MalformedChange.class);
    }
}
