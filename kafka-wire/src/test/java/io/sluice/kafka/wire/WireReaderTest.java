package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// The bounds on what is read, and the sentences with which it is refused.
class WireReaderTest {
    private static WireReader reader(String hex) {
        return new WireReader(ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", ""))));
    }

    @Test
    void readsNumbersWhateverTheOrderOfTheBuffer() {
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex("00ff80000001fffffffe"));
        WireReader in = new WireReader(bytes.order(ByteOrder.LITTLE_ENDIAN));
        assertThat(in.readShort()).isEqualTo((short) 255);
        assertThat(in.readInt()).isEqualTo(0x80000001);
        assertThat(in.readUnsignedInt()).isEqualTo(0xfffffffeL);
        assertThat(in.remaining()).isZero();
    }

    @Test
    void readsVarintsOfEveryLength() {
        assertThat(reader("00").readUnsignedVarint()).isZero();
        assertThat(reader("7f").readUnsignedVarint()).isEqualTo(127);
        assertThat(reader("80 01").readUnsignedVarint()).isEqualTo(128);
        assertThat(reader("ff ff 7f").readUnsignedVarint()).isEqualTo((1 << 21) - 1);
        assertThat(reader("ff ff ff ff 07").readUnsignedVarint()).isEqualTo(Integer.MAX_VALUE);
        assertThat(reader("ff ff ff ff 0f").readUnsignedVarint()).isEqualTo(-1);
    }

    @Test
    void refusesVarintsBeyond32Bits() {
        assertMalformed(
                () -> reader("ff ff ff ff 10").readUnsignedVarint(),
                "varint at byte 0 is longer than 32 bits");
        assertMalformed(
                () -> reader("80 80 80 80 80 00").readUnsignedVarint(),
                "varint at byte 0 is longer than 32 bits");
        assertMalformed(
                () -> reader("80").readUnsignedVarint(), "needs 1 bytes at byte 1, 0 remain");
    }

    /// Each element has its reference, its string, and what follows from it in the broker.
    @Test
    void refusesWhatTakesTooMuchMemoryHoweverLargeTheMessage() {
        ByteBuffer names = ByteBuffer.allocate(4 + 4 * 100_000).putInt(100_000);
        while (names.hasRemaining()) {
            names.putShort((short) 2).put((byte) 'a').put((byte) 'b');
        }
        names.flip();
        WireReader roomy = new WireReader(names, 32 << 20);
        readNames(roomy);
        assertThat(roomy.remaining()).isZero();
        assertThat(roomy.heapTaken()).isBetween(100_000L * (128 + 48), 100_000L * (128 + 64));

        WireReader narrow = new WireReader(names, 14 << 20);
        assertMalformed(
                () -> readNames(narrow),
                "message of 400004 bytes asks for too much at once: it would take more than 14680064"
                        + " bytes of memory, stopped at byte 123338");
        narrow.reset(ByteBuffer.allocate(0));
        assertThat(narrow.heapTaken()).isZero();
    }

    /// They are stored and sent as they lie in the frame.
    @Test
    void recordsAreNotChargedTheirSize() {
        ByteBuffer message = ByteBuffer.allocate(4 + (1 << 20)).putInt(0, 1 << 20);
        WireReader in = new WireReader(message, 1024);
        assertThat(in.readRecords(false, "Produce.records").sizeInBytes()).isEqualTo(1 << 20);
        assertThat(in.heapTaken()).isLessThan(100);
    }

    private static void readNames(WireReader in) {
        int count = in.readCount(false, 2, 4, "Names");
        for (int i = 0; i < count; i++) {
            in.readString(false, "Names.name");
        }
    }

    @Test
    void refusesLengthsBeyondTheMessage() {
        assertMalformed(
                () -> reader("00 05 61").readString(false, "Topic.name"),
                "Topic.name: length 5 at byte 0 needs at least 5 bytes, 1 remain");
        assertMalformed(
                () -> reader("06 61").readString(true, "Topic.name"),
                "Topic.name: length 5 at byte 0 needs at least 5 bytes, 1 remain");
        assertMalformed(
                () -> reader("7f ff ff ff 00").readBytes(false, "Sync.assignment"),
                "Sync.assignment: length 2147483647 at byte 0 needs at least 2147483647 bytes, 1 remain");
        assertMalformed(
                () -> reader("00 00 00 02 00").readNullableRecords(false, "Data.records"),
                "Data.records: length 2 at byte 0 needs at least 2 bytes, 1 remain");
    }

    @Test
    void refusesNegativeLengths() {
        assertMalformed(
                () -> reader("ff fe").readNullableString(false, "Topic.name"),
                "Topic.name: length -2 at byte 0 is out of range");
        assertMalformed(
                () -> reader("80 00 00 00").readNullableBytes(false, "Sync.assignment"),
                "Sync.assignment: length -2147483648 at byte 0 is out of range");
        assertMalformed(
                () -> reader("ff ff ff ff 0f").readNullableBytes(true, "Sync.assignment"),
                "Sync.assignment: length 4294967294 at byte 0 is out of range");
        assertMalformed(
                () -> reader("ff ff ff fe").readNullableCount(false, 1, 4, "Fetch.topics"),
                "Fetch.topics: count -2 at byte 0 is out of range");
    }

    @Test
    void refusesNullWhereThereIsNone() {
        assertMalformed(
                () -> reader("ff ff").readString(false, "Topic.name"),
                "Topic.name may not be null, at byte 2");
        assertMalformed(
                () -> reader("00").readCount(true, 1, 4, "Fetch.topics"),
                "Fetch.topics may not be null, at byte 1");
        assertMalformed(
                () -> reader("02").readPresence("Describe.cursor"),
                "Describe.cursor: expected 1 (present) or -1 (null) at byte 0, found 2");
    }

    @Test
    void refusesCountsThatCannotFit() {
        assertMalformed(
                () -> reader("00 00 00 03 00 00 00 00 00 00 00").readCount(false, 4, 20, "A.b"),
                "A.b: count 3 at byte 0 needs at least 12 bytes, 7 remain");
        assertMalformed(
                () -> reader("7f ff ff ff 00").readCount(false, 16, 20, "A.b"),
                "A.b: count 2147483647 at byte 0 needs at least 34359738352 bytes, 1 remain");
        assertThat(reader("00 00 00 01 00 00 00 00").readCount(false, 4, 20, "A.b")).isEqualTo(1);
    }

    @Test
    void refusesStringsLongerThanTheProtocolAllows() {
        ByteBuffer bytes = ByteBuffer.allocate(40_000);
        bytes.put(new byte[] {(byte) 0x81, (byte) 0x80, 0x02}).rewind();
        assertMalformed(
                () -> new WireReader(bytes).readString(true, "A.b"),
                "A.b: length 32768 at byte 0 is longer than the 32767 bytes of the longest string");
    }

    @Test
    void bytesAreAPrivateCopyThatNobodyCanChange() {
        byte[] message = {2, 7};
        ByteBuffer bytes = new WireReader(ByteBuffer.wrap(message)).readBytes(true, "A.b");
        message[1] = 8;
        assertThat(bytes.get(0)).isEqualTo((byte) 7);
        assertThatThrownBy(() -> bytes.put(0, (byte) 9))
                .isInstanceOf(ReadOnlyBufferException.class);
    }

    @Test
    void recordsAreASliceOfTheMessage() {
        byte[] message = {9, 3, 7, 7};
        WireReader in = new WireReader(ByteBuffer.wrap(message));
        in.readByte();
        Records records = in.readNullableRecords(true, "A.b");
        message[3] = 8;
        assertThat(records).isEqualTo(new Records.InMemory(ByteBuffer.wrap(new byte[] {7, 8})));
        assertThat(in.remaining()).isZero();
    }

    @Test
    void malformedUtf8IsReplacedAsKafkaDoes() {
        assertThat(reader("04 61 ff 62").readString(true, "A.b")).isEqualTo("a\ufffdb");
    }

    @Test
    void theAccountIsRefilledForEachMessage() {
        WireReader in = new WireReader(ByteBuffer.allocate(10));
        long all = 16 * 10 + WireReader.HEAP_FREE_OF_CHARGE;
        in.charge(all);
        assertMalformed(
                () -> in.charge(1),
                "message of 10 bytes would take more than 16 times its size in memory, stopped at byte 0");
        in.reset(ByteBuffer.allocate(11));
        in.charge(all + 16);
        assertThat(in.position()).isZero();
    }

    private static void assertMalformed(Runnable read, String message) {
        assertThatThrownBy(read::run).isInstanceOf(MalformedRequest.class).hasMessage(message);
    }
}
