package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.types.Struct;
import org.junit.jupiter.api.Test;

/// Parts in the right order, with the right bytes, and none copied that need not be.
class WireWriterTest {
    private static final short FETCH = 17;

    @Test
    void refusesToGrowWithoutEnd() {
        ByteBuffer reused = ByteBuffer.allocate(1 << 20);
        WireWriter out = new WireWriter(_ -> reused.clear());
        ByteBuffer half = ByteBuffer.allocate(1 << 19);
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 200; i++) {
                                out.writeBytes(half, false);
                            }
                        })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("more than 100000000 bytes besides its records");
        assertThat(out.sizeInBytes()).isBetween(45_000_000, 100_000_000);
        out.clear();
        out.writeBytes(half, false);
        assertThat(out.sizeInBytes()).isEqualTo(4 + (1 << 19));
    }

    @Test
    void smallBuffersMakeNoDifferenceToTheBytes() {
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            Struct struct = new RandomStructs(5).struct(message.schema());
            Record ours = OurRecords.fromStruct(message.ours(), struct);
            for (int size : new int[] {1, 7, 64}) {
                WireWriter out = new WireWriter(least -> buffer(Math.max(least, size)));
                ((WireMessage) ours).write(out, message.version());
                assertThat(Bytes.hex(Bytes.of(out)))
                        .as(message.name())
                        .isEqualTo(Bytes.hex(message.encodedByUs(ours)));
            }
        }
    }

    /// With something in front of the position, and in the order that the protocol does not use.
    private static ByteBuffer buffer(int size) {
        ByteBuffer buffer =
                size < 64 ? ByteBuffer.allocate(size + 3) : ByteBuffer.allocateDirect(size + 3);
        return buffer.position(3).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void storedRecordsStayBetweenTheBytesAroundThem() {
        Records.Stored stored = new Bytes.StoredBytes(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        WireWriter out = new WireWriter();
        Frame.writeResponse(out, ApiKey.FETCH, FETCH, 5, fetched(stored));

        List<WirePart> parts = out.parts();
        assertThat(parts).hasSize(3);
        assertThat(parts.get(1)).isEqualTo(new WirePart.Stored(stored));
        byte[] bytes = Bytes.of(out);
        Records inMemory = new Records.InMemory(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        WireReader in = new WireReader(ByteBuffer.wrap(bytes));
        assertThat(in.readInt()).isEqualTo(bytes.length - 4);
        assertThat(ResponseHeader.read(in, ApiKey.FETCH, FETCH).correlationId()).isEqualTo(5);
        assertThat(FetchResponse.read(in, FETCH)).isEqualTo(fetched(inMemory));
    }

    @Test
    void smallRecordsAreCopiedAndLargeOnesAreNot() {
        byte[] small = new byte[WireWriter.COPY_BELOW - 1];
        byte[] large = new byte[WireWriter.COPY_BELOW];
        WireWriter out = new WireWriter();
        fetched(new Records.InMemory(ByteBuffer.wrap(small))).write(out, FETCH);
        ByteBuffer largeBuffer = ByteBuffer.wrap(large);
        fetched(new Records.InMemory(largeBuffer)).write(out, FETCH);
        List<WirePart> parts = out.parts();
        small[0] = 1;
        large[0] = 1;
        int changed = 0;
        for (byte b : Bytes.of(out)) {
            changed += b == 1 ? 1 : 0;
        }
        WireWriter before = new WireWriter();
        fetched(new Records.InMemory(ByteBuffer.allocate(small.length))).write(before, FETCH);
        fetched(new Records.InMemory(ByteBuffer.allocate(large.length))).write(before, FETCH);
        for (byte b : Bytes.of(before)) {
            changed -= b == 1 ? 1 : 0;
        }
        assertThat(changed).as("only the large records are seen through").isEqualTo(1);
        assertThat(parts).contains(new WirePart.Bytes(largeBuffer));
        assertThat(largeBuffer.position()).isZero();
    }

    @Test
    void severalFramesFollowOneAnother() {
        List<ByteBuffer> taken = new ArrayList<>();
        WireWriter out =
                new WireWriter(
                        least -> {
                            taken.add(ByteBuffer.allocate(Math.max(least, 4096)));
                            return taken.getLast();
                        });
        for (int i = 0; i < 3; i++) {
            Frame.writeResponse(
                    out, ApiKey.FETCH, FETCH, i, FetchResponse.builder().sessionId(i).build());
        }
        assertThat(taken).hasSize(1);
        assertThat(out.parts()).hasSize(1);
        WireReader in = new WireReader(ByteBuffer.wrap(Bytes.of(out)));
        for (int i = 0; i < 3; i++) {
            int end = in.readInt() + in.position();
            assertThat(ResponseHeader.read(in, ApiKey.FETCH, FETCH).correlationId()).isEqualTo(i);
            assertThat(FetchResponse.read(in, FETCH).sessionId()).isEqualTo(i);
            assertThat(in.position()).isEqualTo(end);
        }
    }

    @Test
    void aClearedWriterTakesANewBuffer() {
        WireWriter out = new WireWriter();
        out.writeInt(1);
        List<WirePart> first = out.parts();
        out.clear();
        assertThat(out.sizeInBytes()).isZero();
        assertThat(out.parts()).isEmpty();
        out.writeInt(2);
        assertThat(first)
                .containsExactly(new WirePart.Bytes(ByteBuffer.wrap(new byte[] {0, 0, 0, 1})));
        assertThat(Bytes.of(out)).containsExactly(0, 0, 0, 2);
    }

    @Test
    void framesMustBeBegunAndEndedInTurn() {
        WireWriter out = new WireWriter();
        assertThatThrownBy(out::endFrame).isInstanceOf(IllegalStateException.class);
        out.beginFrame();
        assertThatThrownBy(out::beginFrame).isInstanceOf(IllegalStateException.class);
        out.endFrame();
        assertThat(Bytes.of(out)).containsExactly(0, 0, 0, 0);
    }

    @Test
    void textBecomesTheSameUtf8AsInTheJdk() {
        for (String text :
                List.of(
                        "",
                        "plain",
                        "é",
                        "가나다",
                        "𝕬🚀",
                        "\ud800",
                        "x\udc00y",
                        "\ud800\ud800\udc00",
                        "\udc00é",
                        "\u007f\u0080\u07ff\u0800\uffff")) {
            WireWriter out = new WireWriter();
            out.writeString(text, true);
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            byte[] written = Bytes.of(out);
            assertThat(written[0]).isEqualTo((byte) (bytes.length + 1));
            assertThat(Bytes.hex(written).substring(2).strip()).isEqualTo(Bytes.hex(bytes));
        }
    }

    @Test
    void refusesWhatTheProtocolCannotExpress() {
        WireWriter out = new WireWriter();
        assertThatThrownBy(() -> out.writeString("x".repeat(32_768), true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("32768");
        assertThatThrownBy(() -> out.writeUnsignedShort(65_536))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> out.writeUnsignedInt(-1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WireWriter(_ -> ByteBuffer.allocate(1)).writeInt(1))
                .isInstanceOf(IllegalStateException.class);
    }

    private static FetchResponse fetched(Records records) {
        FetchResponse.PartitionData partition =
                FetchResponse.PartitionData.builder().records(records).build();
        FetchResponse.FetchableTopicResponse topic =
                FetchResponse.FetchableTopicResponse.builder()
                        .partitions(List.of(partition))
                        .build();
        return FetchResponse.builder().responses(List.of(topic)).build();
    }
}
