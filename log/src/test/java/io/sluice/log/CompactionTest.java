package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.DiskException;
import io.sluice.env.FileSlice;
import io.sluice.log.compaction.Compaction;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.BatchBuilder;
import io.sluice.record.Compression;
import io.sluice.record.LogRecord;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Q20: a compacted topic keeps the last record of each key")
final class CompactionTest {
    private static final int MAP_BYTES = 1 << 20;

    private LogFixture log = compacted();

    private static LogFixture compacted(String... more) {
        String[] pairs = new String[more.length + 2];
        pairs[0] = "cleanup.policy";
        pairs[1] = "compact";
        System.arraycopy(more, 0, pairs, 2, more.length);
        return new LogFixture(BatchValidationTest.settings(pairs).withSegments(1500, 200));
    }

    @Test
    void onlyTheLastRecordOfEachKeyStays() {
        for (int i = 0; i < 200; i++) {
            put("key-" + i % 7, "value-" + i);
        }
        seal();
        long before = log.log.sizeInBytes();
        compact(MAP_BYTES);
        assertThat(latest(log)).hasSize(7).containsEntry("key-3", "value-199");
        assertThat(records(log)).hasSize(7);
        assertThat(log.log.sizeInBytes()).isLessThan(before / 5);
        assertThat(log.log.endOffset()).isEqualTo(200);
        assertThat(log.log.compactedTo()).isEqualTo(200);
        assertThat(log.disk.paths()).noneMatch(path -> path.contains(".cleaned"));
    }

    @Test
    void offsetsNeverChange() {
        for (int i = 0; i < 100; i++) {
            put("key-" + i % 10, "value-" + i);
        }
        seal();
        compact(MAP_BYTES);
        assertThat(records(log))
                .extracting(LogRecord::offset)
                .containsExactly(90L, 91L, 92L, 93L, 94L, 95L, 96L, 97L, 98L, 99L);
        assertThat(log.valuesFrom(50)).startsWith("value-90");
        assertThat(log.valuesFrom(95)).hasSize(5);
        put("key-0", "next");
        assertThat(log.log.endOffset()).isEqualTo(101);
    }

    @Test
    void randomHistoriesKeepExactlyTheLatestValues() {
        for (int seed = 0; seed < 40; seed++) {
            Random random = new Random(seed);
            log = compacted();
            Map<String, String> expected = new TreeMap<>();
            for (int round = 0; round < 4; round++) {
                for (int i = 0; i < 60; i++) {
                    BatchBuilder batch = new BatchBuilder();
                    if (random.nextInt(4) == 0) {
                        batch.compression(Compression.byId(random.nextInt(5)));
                    }
                    for (int j = random.nextInt(4); j >= 0; j--) {
                        String key = "key-" + random.nextInt(30);
                        String value = "value-" + random.nextInt(1000);
                        batch.add(LogRecord.of(log.clock.wallMillis(), key, value));
                        expected.put(key, value);
                    }
                    log.append(batch.build());
                }
                seal();
                // Little memory: several runs are needed.
                for (int pass = 0; pass < 6; pass++) {
                    compact(24 * 16);
                }
                assertThat(latest(log)).as("seed %d", seed).isEqualTo(expected);
                LogFixture again =
                        log.reopen(random.nextBoolean() ? null : log.log.recoveryPoint());
                assertThat(latest(again)).as("seed %d", seed).isEqualTo(expected);
                assertThat(again.report.damages()).isEmpty();
                assertThat(again.log.endOffset()).isEqualTo(log.log.endOffset());
            }
        }
    }

    @Test
    @DisplayName("KIP-534: a tombstone stays for delete.retention.ms after it was first compacted")
    void tombstonesGoAfterTheirHorizon() {
        log = compacted("delete.retention.ms", "1000", "min.cleanable.dirty.ratio", "0");
        put("a", "1");
        put("b", "1");
        put("a", null);
        seal();
        compact(MAP_BYTES);
        assertThat(latest(log)).containsEntry("a", "null").containsEntry("b", "1");
        log.clock.advance(Duration.ofMillis(999));
        put("c", "1");
        seal();
        compact(MAP_BYTES);
        assertThat(latest(log)).containsKeys("a", "b", "c");
        assertThat(records(log).stream().map(record -> LogFixture.text(record.key())))
                .containsExactly("b", "a", "c");
        log.clock.advance(Duration.ofMillis(2));
        put("d", "1");
        seal();
        compact(MAP_BYTES);
        assertThat(latest(log)).containsOnlyKeys("b", "c", "d");
    }

    @Test
    void timestampsSurviveADeleteHorizon() {
        put("a", "1");
        put("a", null);
        seal();
        compact(MAP_BYTES);
        assertThat(records(log).getFirst().timestamp()).isEqualTo(ManualClock.START_MILLIS);
    }

    @Test
    void lastBatchOfAProducerStaysSoThatItsSequenceIsKnown() {
        log.append(producerBatch(5, 0, "k"));
        log.append(producerBatch(5, 1, "k"));
        put("k", "other");
        seal();
        compact(MAP_BYTES);
        assertThat(latest(log)).containsOnlyKeys("k").containsEntry("k", "other");
        LogFixture again = log.reopen(null);
        for (String path : again.disk.paths()) {
            if (path.endsWith(".snapshot")) {
                again.disk.delete(path);
            }
        }
        LogFixture replayed = again.reopen(null);
        assertThat(replayed.log.append(producerBatch(5, 1, "k"), 0))
                .isInstanceOf(AppendResult.Duplicate.class);
        assertThat(replayed.log.append(producerBatch(5, 2, "k"), 0))
                .isInstanceOf(AppendResult.Appended.class);
    }

    @Test
    void controlBatchesAreLeftAlone() {
        ByteBuffer control =
                new BatchBuilder()
                        .control()
                        .transactional()
                        .producer(9, (short) 0, -1)
                        .leaderEpoch(0)
                        .add(LogRecord.of(ManualClock.START_MILLIS, "k", "v"))
                        .build();
        log.log.appendAsFollower(control);
        put("k", "v");
        seal();
        compact(MAP_BYTES);
        assertThat(batches(log)).anyMatch(RecordBatch::isControl);
    }

    @Test
    void youngRecordsWaitForTheirLag() {
        log = compacted("min.compaction.lag.ms", "60000");
        for (int i = 0; i < 50; i++) {
            put("k", "value-" + i);
        }
        seal();
        assertThat(log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES)).isNull();
        log.clock.advance(Duration.ofMinutes(2));
        assertThat(log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES)).isNotNull();
    }

    @Test
    void cleanLogIsNotCompactedAgainUntilDirtyEnough() {
        for (int i = 0; i < 100; i++) {
            put("key-" + i, "value");
        }
        seal();
        compact(MAP_BYTES);
        assertThat(log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES)).isNull();
        for (int i = 0; i < 30; i++) {
            put("key-" + i, "again");
        }
        seal();
        assertThat(log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES)).isNull();
        for (int i = 0; i < 90; i++) {
            put("key-" + i, "again");
        }
        seal();
        assertThat(log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES)).isNotNull();
    }

    @Test
    void overdueRecordsAreCompactedEvenIfFew() {
        log = compacted("max.compaction.lag.ms", "60000");
        for (int i = 0; i < 100; i++) {
            put("key-" + i, "value");
        }
        seal();
        compact(MAP_BYTES);
        put("key-1", "again");
        seal();
        assertThat(log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES)).isNull();
        log.clock.advance(Duration.ofMinutes(2));
        assertThat(log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES)).isNotNull();
    }

    @Test
    void nothingAboveTheLimitIsCompacted() {
        for (int i = 0; i < 100; i++) {
            put("k", "value-" + i);
        }
        seal();
        long second = log.log.segments().get(1).baseOffset();
        Compaction compaction = log.log.beginCompaction(second, MAP_BYTES);
        assertThat(compaction).isNotNull();
        compaction.run();
        log.log.completeCompaction(compaction).run();
        assertThat(log.log.compactedTo()).isEqualTo(second);
        assertThat(records(log)).hasSize(1 + 100 - (int) second);
    }

    @Test
    void damagedSegmentIsNeverCompactedAway() {
        for (int i = 0; i < 100; i++) {
            put("k", "value-" + i);
        }
        seal();
        log.disk.flipBit(log.logFile(0), 300);
        Compaction compaction = log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES);
        assertThat(compaction).isNotNull();
        compaction.run();
        assertThat(compaction.damage()).isNotNull();
        assertThat(compaction.replacements()).isEmpty();
        log.log.completeCompaction(compaction).run();
        assertThat(log.log.compactedTo()).isZero();
        assertThat(log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES)).isNull();
        assertThat(log.log.segments()).hasSizeGreaterThan(3);
    }

    @Test
    void compactionOfSegmentsThatRetentionTookIsDropped() {
        log = compacted("cleanup.policy", "compact,delete", "retention.bytes", "3000");
        for (int i = 0; i < 200; i++) {
            put("key-" + i, "value-" + i);
        }
        seal();
        Compaction compaction = log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES);
        assertThat(compaction).isNotNull();
        compaction.run();
        SegmentDeletion deletion = log.log.beginRetention(Long.MAX_VALUE);
        assertThat(deletion).isNotNull();
        deletion.markDeleted();
        List<LogRecord> before = records(log);
        log.log.completeCompaction(compaction).run();
        assertThat(log.disk.paths()).noneMatch(path -> path.contains(".swap"));
        assertThat(records(log)).isEqualTo(before);
        assertThat(records(log.reopen(null))).isEqualTo(before);
    }

    @Test
    void readerOfAnOldSegmentGoesOn() {
        for (int i = 0; i < 50; i++) {
            put("k", "value-" + i);
        }
        seal();
        FileSlice slice = ((ReadResult.Found) log.read(0, 10_000)).records();
        compact(MAP_BYTES);
        assertThat(LogFixture.batches(slice).getFirst().baseOffset()).isZero();
        slice.release();
    }

    @Test
    void fullDiskLeavesTheLogAsItWasAndNothingBehind() {
        for (int i = 0; i < 100; i++) {
            put("key-" + i % 20, "value-" + i);
        }
        seal();
        List<LogRecord> before = records(log);
        List<String> files = log.disk.paths();
        for (int room = 0; room < 2000; room += 50) {
            log.disk.capacity = log.disk.usedBytes() + room;
            Compaction compaction = log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES);
            assertThat(compaction).isNotNull();
            try {
                compaction.run();
                break;
            } catch (DiskException e) {
                assertThat(e.kind()).isEqualTo(DiskException.Kind.FULL);
            }
            assertThat(log.disk.paths()).isEqualTo(files);
            assertThat(records(log)).isEqualTo(before);
        }
        log.disk.capacity = 1 << 30;
        compact(MAP_BYTES);
        assertThat(records(log)).hasSize(20);
    }

    @Test
    void resultThatAFailedCompactionCommittedIsGivenUpBeforeTheNext() {
        for (int i = 0; i < 100; i++) {
            put("key-" + i % 20, "value-" + i);
        }
        seal();
        Compaction forgotten = log.log.beginCompaction(Long.MAX_VALUE, MAP_BYTES);
        assertThat(forgotten).isNotNull();
        forgotten.run();
        assertThat(log.disk.paths()).anyMatch(path -> path.endsWith(".swap"));
        for (int i = 100; i < 200; i++) {
            put("key-" + i % 20, "value-" + i);
        }
        seal();
        compact(MAP_BYTES);
        assertThat(latest(log.reopen(null))).hasSize(20).containsEntry("key-19", "value-199");
    }

    @Test
    void crashAtAnyStepLeavesTheOldOrTheNewLog() {
        int steps = 200;
        for (int step = 0; step < steps; step++) {
            LogFixture each = compacted();
            log = each;
            for (int i = 0; i < 60; i++) {
                put("key-" + i % 5, "value-" + i);
            }
            seal();
            Map<String, String> expected = latest(each);
            RecoveryPoint point = each.log.recoveryPoint();
            each.disk.stepsUntilPowerLoss = step;
            boolean survived = true;
            try {
                compact(MAP_BYTES);
            } catch (CrashDisk.PowerLoss _) {
                survived = false;
            }
            each.disk.stepsUntilPowerLoss = -1;
            CrashDisk left = each.disk.copy();
            for (boolean loses : new boolean[] {true, false}) {
                CrashDisk disk = left.copy();
                if (loses) {
                    disk.crash();
                }
                LogFixture after = new LogFixture(disk, each.settings, point);
                assertThat(latest(after)).as("step %d, loses %s", step, loses).isEqualTo(expected);
                assertThat(after.report.damages()).as("step %d", step).isEmpty();
                assertThat(after.log.endOffset()).isEqualTo(60);
                assertThat(disk.paths()).noneMatch(p -> p.contains("swap") || p.contains("clean"));
            }
            if (survived) {
                assertThat(step).isGreaterThan(10);
                return;
            }
        }
        assertThat(steps).as("the compaction never finished").isZero();
    }

    private void put(String key, @Nullable String value) {
        log.append(
                new BatchBuilder()
                        .add(log.clock.wallMillis(), utf8(key), value == null ? null : utf8(value))
                        .build());
    }

    private static ByteBuffer producerBatch(long producer, int sequence, String key) {
        return new BatchBuilder()
                .producer(producer, (short) 0, sequence)
                .add(LogRecord.of(ManualClock.START_MILLIS, key, "by producer"))
                .build();
    }

    private static ByteBuffer utf8(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private void seal() {
        log.log.roll();
        log.flush();
    }

    private void compact(int mapBytes) {
        Compaction compaction = log.log.beginCompaction(Long.MAX_VALUE, mapBytes);
        if (compaction == null) {
            return;
        }
        compaction.run();
        CompactionAftermath aftermath = log.log.completeCompaction(compaction);
        aftermath.run();
        aftermath.removeFiles();
    }

    private static List<RecordBatch> batches(LogFixture log) {
        List<RecordBatch> batches = new ArrayList<>();
        long next = log.log.startOffset();
        while (log.read(next, 1 << 20) instanceof ReadResult.Found(FileSlice slice)) {
            batches.addAll(LogFixture.batches(slice));
            next = batches.getLast().nextOffset();
            slice.release();
        }
        return batches;
    }

    private static List<LogRecord> records(LogFixture log) {
        List<LogRecord> records = new ArrayList<>();
        for (RecordBatch batch : batches(log)) {
            records.addAll(RecordReader.readAll(batch));
        }
        return records;
    }

    private static Map<String, String> latest(LogFixture log) {
        Map<String, String> latest = new TreeMap<>();
        for (LogRecord record : records(log)) {
            latest.put(LogFixture.text(record.key()), LogFixture.text(record.value()));
        }
        return latest;
    }
}
