package io.sluice.log.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Golden bytes of docs/formats/index.md and of the offset files: what is on disk must stay readable.
final class SegmentFormatsTest {
    private static final String INDEX =
            compact(
                    """
            534c4958 0001 0003
            0000000000000064 0000000000000082
            00002328 00000002
            0000018bcfe5687b 0000000000000078 0000018bcfe56800
            d07df4bc aca8c4d1
            00000008 00001004 0000018bcfe56832
            00000011 0000206c 0000018bcfe5683c
            """);

    private static final String OFFSET =
            compact(
                    """
            534c4f46 0001 0000
            0000000000001267
            fa4d42bc
            """);

    private static final SegmentFacts FACTS =
            new SegmentFacts(
                    100, 130, 9000, 1_700_000_000_123L, 120, 1_700_000_000_000L, true, true);

    private static SparseIndex entries() {
        SparseIndex index = new SparseIndex();
        index.add(8, 4100, 1_700_000_000_050L);
        index.add(17, 8300, 1_700_000_000_060L);
        return index;
    }

    @Test
    void indexFileIsWrittenAsDocumented() {
        assertThat(hex(IndexFile.encode(FACTS, entries()))).isEqualTo(INDEX);
    }

    @Test
    void documentedIndexFileIsRead() {
        IndexFile.Content content = IndexFile.decode(bytes(INDEX), 100);
        assertThat(content).isNotNull();
        assertThat(content.facts()).isEqualTo(FACTS);
        assertThat(content.index().count()).isEqualTo(2);
        assertThat(content.index().relativeOffset(1)).isEqualTo(17);
        assertThat(content.index().position(1)).isEqualTo(8300);
        assertThat(content.index().maxTimestampBefore(1)).isEqualTo(1_700_000_000_060L);
    }

    @Test
    void everyFlippedBitOfAnIndexIsNoticed() {
        byte[] sound = HexFormat.of().parseHex(INDEX);
        for (int bit = 0; bit < sound.length * 8; bit++) {
            byte[] broken = sound.clone();
            broken[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(IndexFile.decode(ByteBuffer.wrap(broken), 100)).as("bit %d", bit).isNull();
        }
    }

    @Test
    void indexOfAnotherSegmentIsNotBelieved() {
        assertThat(IndexFile.decode(bytes(INDEX), 101)).isNull();
    }

    @Test
    void offsetFileIsWrittenAndReadAsDocumented() {
        assertThat(hex(OffsetFile.encode(4711))).isEqualTo(OFFSET);
        assertThat(OffsetFile.decode(bytes(OFFSET))).isEqualTo(4711);
        byte[] sound = HexFormat.of().parseHex(OFFSET);
        for (int bit = 0; bit < sound.length * 8; bit++) {
            byte[] broken = sound.clone();
            broken[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(OffsetFile.decode(ByteBuffer.wrap(broken))).as("bit %d", bit).isZero();
        }
    }

    private static String hex(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return HexFormat.of().formatHex(copy);
    }

    private static ByteBuffer bytes(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }

    private static String compact(String spaced) {
        return spaced.replaceAll("\\s", "");
    }
}
