package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.recovery.RecoveryPoint;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Golden bytes of docs/formats/checkpoint.md.
final class CheckpointsFormatTest {
    private static final String GOLDEN =
            compact(
                    """
            534c4350 0002 0000 00000002
            0008 6f72646572732d30
            000000000000000a 00000000000001f4 0000000000000190 00002000 000000000001e240 00000005 00 00000000000001f0
            0008 6f72646572732d31
            0000000000000000 0000000000000007 0000000000000000 000002bc 00000000000002bc ffffffff 01 ffffffffffffffff
            3a4e204a
            """);

    @Test
    void checkpointsAreWrittenAndReadAsDocumented() {
        SortedMap<String, RecoveryPoint> points = new TreeMap<>();
        points.put("orders-0", new RecoveryPoint(10, 500, 400, 8192, 123_456, 5, false, 496));
        points.put("orders-1", new RecoveryPoint(0, 7, 0, 700, 700, -1, true));
        ByteBuffer encoded = Checkpoints.encode(points);
        byte[] copy = new byte[encoded.remaining()];
        encoded.get(copy);
        assertThat(HexFormat.of().formatHex(copy)).isEqualTo(GOLDEN);
        Checkpoints.Loaded loaded = Checkpoints.decode(ByteBuffer.wrap(copy));
        assertThat(loaded.damaged()).isFalse();
        assertThat(loaded.points()).isEqualTo(points);
    }

    /// What brokers wrote before there were replicas.
    @Test
    void aFileWithoutWatermarksIsRead() {
        String old =
                compact(
                        """
            534c4350 0001 0000 00000002
            0008 6f72646572732d30
            000000000000000a 00000000000001f4 0000000000000190 00002000 000000000001e240 00000005 00
            0008 6f72646572732d31
            0000000000000000 0000000000000007 0000000000000000 000002bc 00000000000002bc ffffffff 01
            6b9b9d99
            """);
        Checkpoints.Loaded loaded =
                Checkpoints.decode(ByteBuffer.wrap(HexFormat.of().parseHex(old)));
        assertThat(loaded.damaged()).isFalse();
        assertThat(loaded.points())
                .containsEntry(
                        "orders-0", new RecoveryPoint(10, 500, 400, 8192, 123_456, 5, false, -1))
                .hasSize(2);
    }

    @Test
    void everyCutIsNoticed() {
        byte[] sound = HexFormat.of().parseHex(GOLDEN);
        for (int length = 0; length < sound.length; length++) {
            assertThat(Checkpoints.decode(ByteBuffer.wrap(sound, 0, length)).damaged()).isTrue();
        }
    }

    private static String compact(String spaced) {
        return spaced.replaceAll("\\s", "");
    }
}
