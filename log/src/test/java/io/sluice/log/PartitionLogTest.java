package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.FileSlice;
import io.sluice.log.AppendResult.Appended;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class PartitionLogTest {
    private final LogFixture fixture = new LogFixture();

    @Test
    void newPartitionCostsNoFile() {
        assertThat(fixture.disk.paths()).isEmpty();
        assertThat(fixture.disk.opens).isZero();
        assertThat(fixture.log.startOffset()).isZero();
        assertThat(fixture.log.endOffset()).isZero();
        assertThat(fixture.read(0, 100)).isInstanceOf(ReadResult.Nothing.class);
    }

    @Test
    @DisplayName(
            "Q5: records are read in the order in which they were appended, with dense offsets")
    void recordsAreReadInOrder() {
        assertThat(fixture.append("a", "b")).isEqualTo(new Appended(0, 2, -1, 0));
        assertThat(fixture.append("c")).isEqualTo(new Appended(2, 3, -1, 0));
        assertThat(fixture.values()).containsExactly("a", "b", "c");
        assertThat(fixture.valuesFrom(1)).containsExactly("b", "c");
    }

    @Test
    @DisplayName("Q13: the bytes of a batch go to disk and back unchanged but for offset and epoch")
    void bytesAreKept() {
        fixture.append("x");
        ByteBuffer sent = LogFixture.batch("hello", "world");
        byte[] before = bytes(sent);
        fixture.log.append(sent, 7);
        ReadResult.Found found = (ReadResult.Found) fixture.read(1, 1000);
        byte[] stored = bytes(found.records().read());
        assertThat(stored).hasSameSizeAs(before);
        assertThat(RecordBatch.at(ByteBuffer.wrap(stored), 0).baseOffset()).isEqualTo(1);
        assertThat(RecordBatch.at(ByteBuffer.wrap(stored), 0).leaderEpoch()).isEqualTo(7);
        RecordBatch.at(ByteBuffer.wrap(stored), 0).assign(0, -1);
        assertThat(stored).isEqualTo(before);
    }

    @Test
    void aSmallPartitionGetsRoomAheadOnlyIfItsTopicFavoursLatency() {
        assertThat(bytesAhead("latency")).isPositive();
        assertThat(bytesAhead("balanced")).isZero();
        assertThat(bytesAhead("throughput")).isZero();
    }

    /// How much longer the file is than what it holds, after a record and its flush.
    private static long bytesAhead(String profile) {
        LogFixture topic = new LogFixture(BatchValidationTest.settings("profile", profile));
        topic.append("a");
        topic.flush();
        topic.append("b");
        topic.flush();
        return topic.disk.content(topic.logFile(0)).length - topic.log.sizeInBytes();
    }

    @Test
    void readOutsideOfTheLogIsOutOfRange() {
        fixture.append("a");
        assertThat(fixture.read(2, 100)).isEqualTo(new ReadResult.OutOfRange(0, 1));
        assertThat(fixture.read(-1, 100)).isEqualTo(new ReadResult.OutOfRange(0, 1));
        assertThat(fixture.read(1, 100)).isInstanceOf(ReadResult.Nothing.class);
    }

    @Test
    void readStopsAtTheLimit() {
        fixture.append("a");
        fixture.append("b");
        fixture.append("c");
        assertThat(fixture.log.read(0, 1 << 20, 2, true))
                .isInstanceOfSatisfying(
                        ReadResult.Found.class,
                        found -> assertThat(offsets(found.records())).containsExactly(0L, 1L));
        assertThat(fixture.log.read(2, 1 << 20, 2, true)).isInstanceOf(ReadResult.Nothing.class);
    }

    @Test
    void readLimitInsideABatchLeavesTheBatchOut() {
        fixture.append("a");
        fixture.append("b", "c", "d");
        ReadResult.Found found = (ReadResult.Found) fixture.log.read(0, 1 << 20, 3, true);
        assertThat(offsets(found.records())).containsExactly(0L);
    }

    @Test
    void smallReadEndsAtABatchBoundary() {
        int size = LogFixture.batch("a").remaining();
        fixture.append("a");
        fixture.append("b");
        fixture.append("c");
        ReadResult.Found two = (ReadResult.Found) fixture.read(0, 2 * size + 5);
        assertThat(offsets(two.records())).containsExactly(0L, 1L);
        ReadResult.Found one = (ReadResult.Found) fixture.read(0, 5);
        assertThat(offsets(one.records())).containsExactly(0L);
        assertThat(fixture.log.read(0, 5, 3, false)).isInstanceOf(ReadResult.Nothing.class);
    }

    @Test
    @DisplayName("Q12: the log is a row of segments, only the last of which is written")
    void fullSegmentBeginsANewOne() {
        LogFixture small = new LogFixture(fixture.settings.withSegments(1000, 100));
        for (int i = 0; i < 50; i++) {
            small.append("value-" + i);
        }
        List<SegmentFacts> segments = small.log.segments();
        assertThat(segments).hasSizeGreaterThan(3);
        for (int i = 1; i < segments.size(); i++) {
            assertThat(segments.get(i).baseOffset()).isEqualTo(segments.get(i - 1).endOffset());
            assertThat(segments.get(i - 1).sizeInBytes()).isLessThanOrEqualTo(1000);
        }
        assertThat(small.values()).hasSize(50).startsWith("value-0").endsWith("value-49");
        small.flush();
        assertThat(small.log.segments().subList(0, segments.size() - 1))
                .allMatch(SegmentFacts::sealed);
    }

    @Test
    void everyOffsetCanBeFoundWithAnyReadSize() {
        LogFixture small = new LogFixture(fixture.settings.withSegments(3000, 200));
        for (int i = 0; i < 100; i++) {
            small.append("value-" + i, "more-" + i);
        }
        for (LogFixture log : List.of(small, small.reopen(null))) {
            for (long offset = 0; offset < 200; offset++) {
                for (int size : new int[] {1, 150, 500, 10_000}) {
                    ReadResult.Found found = (ReadResult.Found) log.read(offset, size);
                    List<RecordBatch> batches = LogFixture.batches(found.records());
                    assertThat(batches.getFirst().baseOffset()).isEqualTo(offset & ~1);
                    assertThat(found.records().sizeInBytes())
                            .isLessThanOrEqualTo(Math.max(size, batches.getFirst().sizeInBytes()));
                    found.records().release();
                }
            }
        }
    }

    @Test
    void segmentRollsByAge() {
        fixture.append("old");
        fixture.clock.advance(java.time.Duration.ofDays(8));
        fixture.append("new");
        assertThat(fixture.log.segments()).hasSize(2);
    }

    @Test
    void offlineLogKeepsServingReads() {
        fixture.append("a");
        fixture.flush();
        fixture.append("b");
        fixture.disk.failForceOf = ".log";
        fixture.flush();
        assertThat(fixture.log.offline()).isNotNull();
        assertThat(fixture.log.durableOffset()).isEqualTo(1);
        assertThat(fixture.log.append(LogFixture.batch("c"), 0))
                .isInstanceOfSatisfying(
                        AppendResult.Rejected.class,
                        rejected ->
                                assertThat(rejected.reason())
                                        .isEqualTo(AppendResult.Reason.OFFLINE));
        assertThat(fixture.log.beginFlush()).isNull();
        assertThat(fixture.valuesFrom(0)).startsWith("a");
    }

    @Test
    void severalBatchesAreAppendedTogetherWithOneWrite() {
        ByteBuffer both = concat(LogFixture.batch("a", "b"), LogFixture.batch("c"));
        assertThat(fixture.append(both)).isEqualTo(new Appended(0, 3, -1, 0));
        assertThat(fixture.values()).containsExactly("a", "b", "c");
    }

    @Test
    void oneBadBatchSpoilsAllThatCameWithIt() {
        ByteBuffer both = concat(LogFixture.batch("a", "b"), LogFixture.batch("c"));
        both.put(both.limit() - 1, (byte) 99);
        assertThat(fixture.log.append(both, 0))
                .isInstanceOfSatisfying(
                        AppendResult.Rejected.class,
                        rejected ->
                                assertThat(rejected.reason())
                                        .isEqualTo(AppendResult.Reason.CORRUPT_MESSAGE));
        assertThat(fixture.log.endOffset()).isZero();
        assertThat(fixture.disk.paths()).isEmpty();
    }

    @Test
    void directBuffersWork() {
        ByteBuffer heap = LogFixture.batch("a");
        ByteBuffer direct = ByteBuffer.allocateDirect(heap.remaining() + 7);
        direct.position(7).put(heap).position(7);
        fixture.append(direct);
        assertThat(direct.position()).isEqualTo(7);
        assertThat(fixture.values()).containsExactly("a");
    }

    @Test
    void noFileHandleLeaks() {
        LogFixture small = new LogFixture(fixture.settings.withSegments(500, 100));
        for (int i = 0; i < 20; i++) {
            small.append("value-" + i);
            small.flush();
        }
        small.values();
        int segments = small.log.segments().size();
        assertThat(small.disk.openHandles).isLessThanOrEqualTo(segments);
    }

    static ByteBuffer concat(ByteBuffer... parts) {
        int total = 0;
        for (ByteBuffer part : parts) {
            total += part.remaining();
        }
        ByteBuffer all = ByteBuffer.allocate(total);
        for (ByteBuffer part : parts) {
            all.put(part);
        }
        return all.flip();
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }

    private static List<Long> offsets(FileSlice slice) {
        List<Long> offsets = new ArrayList<>();
        for (RecordBatch batch : LogFixture.batches(slice)) {
            offsets.add(batch.baseOffset());
        }
        slice.release();
        return offsets;
    }

    @Test
    void recordsWithoutTimestampAreAccepted() {
        fixture.append(
                new BatchBuilder().add(LogRecord.of(RecordBatch.NO_TIMESTAMP, "k", "v")).build());
        assertThat(fixture.values()).containsExactly("v");
    }
}
