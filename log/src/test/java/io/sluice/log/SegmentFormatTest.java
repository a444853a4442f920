package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Golden bytes of docs/formats/segment.md.
final class SegmentFormatTest {
    private static final String GOLDEN =
            compact(
                    """
            0000000000000000 0000003c 00000003 02 96e26302 0000 00000000 0000018bcfe56800 0000018bcfe56800 0000000000000007 0001 00000000 00000001
            14000000046b3004763000
            0000000000000001 0000003c 00000003 02 4f5d9927 0000 00000000 0000018bcfe56800 0000018bcfe56800 0000000000000007 0001 00000001 00000001
            14000000046b3104763100
            """);

    @Test
    void segmentIsWrittenAndReadAsDocumented() {
        LogFixture log = new LogFixture();
        for (int i = 0; i < 2; i++) {
            log.log.append(
                    new BatchBuilder()
                            .producer(7, (short) 1, i)
                            .add(LogRecord.of(ManualClock.START_MILLIS, "k" + i, "v" + i))
                            .build(),
                    3);
        }
        assertThat(HexFormat.of().formatHex(log.disk.content(log.logFile(0)))).isEqualTo(GOLDEN);
        CrashDisk disk = new CrashDisk();
        disk.createDirectory(LogFixture.FOLDER);
        disk.replaceContent(log.logFile(0), HexFormat.of().parseHex(GOLDEN));
        LogFixture read = new LogFixture(disk, TopicSettings.defaults(), null);
        assertThat(read.values()).containsExactly("v0", "v1");
        assertThat(read.log.leaderEpochs().latest()).isEqualTo(3);
        assertThat(read.log.producers()).hasSize(1);
    }

    private static String compact(String spaced) {
        return spaced.replaceAll("\\s", "");
    }
}
