package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.OffsetLookup.Found;
import io.sluice.log.compaction.Compaction;
import io.sluice.record.BatchBuilder;
import io.sluice.record.Compression;
import io.sluice.record.LogRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q4: replay from any time")
final class OffsetLookupTest {
    private final LogFixture log =
            new LogFixture(
                    BatchValidationTest.settings("compression.type", "producer")
                            .withSegments(2000, 300));

    @Test
    void emptyLogHasNoRecordAtAnyTime() {
        assertThat(log.log.lookupNotBefore(0).run()).isNull();
        assertThat(log.log.lookupLatest().run()).isNull();
    }

    @Test
    void everyTimeFindsTheFirstRecordThatIsNotOlder() {
        Random random = new Random(7);
        List<Long> timestamps = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            BatchBuilder batch =
                    new BatchBuilder().compression(i % 3 == 0 ? Compression.LZ4 : Compression.NONE);
            for (int j = 0; j < 3; j++) {
                long timestamp = 1000L + i * 10L + random.nextInt(40);
                timestamps.add(timestamp);
                batch.add(LogRecord.of(timestamp, "k", "v"));
            }
            log.append(batch.build());
        }
        for (LogFixture each : List.of(log, log.reopen(null))) {
            for (long timestamp = 990; timestamp < 1660; timestamp++) {
                Found found = each.log.lookupNotBefore(timestamp).run();
                assertThat(found == null ? -1 : found.offset())
                        .as("timestamp %d", timestamp)
                        .isEqualTo(first(timestamps, timestamp));
            }
            long latest = timestamps.stream().mapToLong(Long::longValue).max().orElseThrow();
            assertThat(each.log.lookupLatest().run())
                    .isEqualTo(new Found(timestamps.indexOf(latest), latest, 0));
        }
    }

    @Test
    void deletedRecordsAreNotFound() {
        for (int i = 0; i < 60; i++) {
            log.append(new BatchBuilder().add(LogRecord.of(1000 + i, "k", "v")).build());
        }
        StartOffsetChange change = log.log.beginStartOffsetChange(35);
        assertThat(change).isNotNull();
        change.run();
        log.log.completeStartOffsetChange(change);
        assertThat(log.log.lookupNotBefore(1010).run()).isEqualTo(new Found(35, 1035, 0));
    }

    @Test
    void lookupThatACompactionOvertakesSeesTheNewFiles() {
        LogFixture compacted =
                new LogFixture(
                        BatchValidationTest.settings("cleanup.policy", "compact")
                                .withSegments(1500, 200));
        for (int i = 0; i < 100; i++) {
            String key = "key-" + (i % 2 == 0 ? i : 1);
            compacted.append(new BatchBuilder().add(LogRecord.of(1000 + i, key, "v")).build());
        }
        compacted.log.roll();
        compacted.flush();
        OffsetLookup lookup = compacted.log.lookupNotBefore(1050);
        Compaction compaction = compacted.log.beginCompaction(Long.MAX_VALUE, 1 << 20);
        assertThat(compaction).isNotNull();
        compaction.run();
        compacted.log.completeCompaction(compaction).run();
        assertThat(lookup.run()).isEqualTo(new Found(50, 1050, 0));
    }

    private static long first(List<Long> timestamps, long wanted) {
        for (int i = 0; i < timestamps.size(); i++) {
            if (timestamps.get(i) >= wanted) {
                return i;
            }
        }
        return -1;
    }
}
