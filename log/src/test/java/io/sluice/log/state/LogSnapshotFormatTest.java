package io.sluice.log.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.producer.ProducerState;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Golden bytes of docs/formats/producer-snapshot.md.
final class LogSnapshotFormatTest {
    private static final String GOLDEN =
            compact(
                    """
            534c5053 0001 0000 00000000000001f4
            00000002 00000002
            00000003 0000000000000000
            00000005 00000000000001a4
            0000000000002329 0002 0000000a 0000018bcfe56800 02
            0000000e 00000004 000000000000019a
            0000000f 00000000 00000000000001f3
            000000000000232a 0000 ffffffff 0000018bcfe56801 00
            13dc8c71
            """);

    private static final LogSnapshot SNAPSHOT =
            new LogSnapshot(
                    500,
                    List.of(new LeaderEpochs.Entry(3, 0), new LeaderEpochs.Entry(5, 420)),
                    List.of(
                            new ProducerState(
                                    9001,
                                    (short) 2,
                                    10,
                                    1_700_000_000_000L,
                                    List.of(
                                            new ProducerState.Batch(14, 4, 410),
                                            new ProducerState.Batch(15, 0, 499))),
                            new ProducerState(9002, (short) 0, -1, 1_700_000_000_001L, List.of())));

    @Test
    void snapshotIsWrittenAndReadAsDocumented() {
        ByteBuffer encoded = SNAPSHOT.encode();
        byte[] copy = new byte[encoded.remaining()];
        encoded.get(copy);
        assertThat(HexFormat.of().formatHex(copy)).isEqualTo(GOLDEN);
        assertThat(LogSnapshot.decode(ByteBuffer.wrap(copy), 500)).isEqualTo(SNAPSHOT);
    }

    @Test
    void everyFlippedBitAndEveryCutIsNoticed() {
        byte[] sound = HexFormat.of().parseHex(GOLDEN);
        for (int bit = 0; bit < sound.length * 8; bit++) {
            byte[] broken = sound.clone();
            broken[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(LogSnapshot.decode(ByteBuffer.wrap(broken), 500)).as("bit %d", bit).isNull();
        }
        for (int length = 0; length < sound.length; length++) {
            assertThat(LogSnapshot.decode(ByteBuffer.wrap(sound, 0, length), 500)).isNull();
        }
    }

    @Test
    void snapshotOfAnotherOffsetIsNotBelieved() {
        assertThat(LogSnapshot.decode(ByteBuffer.wrap(HexFormat.of().parseHex(GOLDEN)), 499))
                .isNull();
    }

    /// A leader that got no batch became a follower and copied batches of an earlier epoch to that place; after a restart they counted as damaged (seed 114 of the simulated cluster).
    @Test
    void anEpochWithoutABatchIsInNoSnapshot() {
        var first = new LeaderEpochs.Entry(0, 0);
        var empty = new LeaderEpochs.Entry(1, 15);
        assertThat(new LogSnapshot(15, List.of(first, empty), List.of()).epochs())
                .containsExactly(first);
        assertThat(new LogSnapshot(16, List.of(first, empty), List.of()).epochs())
                .containsExactly(first, empty);
    }

    private static String compact(String spaced) {
        return spaced.replaceAll("\\s", "");
    }
}
