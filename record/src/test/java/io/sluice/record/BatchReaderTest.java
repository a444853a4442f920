package io.sluice.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.record.BatchReader.Flaw;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BatchReaderTest {
    private static ByteBuffer twoBatches() {
        ByteBuffer first = new BatchBuilder().add(LogRecord.of(1, "a", "eins")).build();
        ByteBuffer second =
                new BatchBuilder().baseOffset(1).add(LogRecord.of(2, "b", "zwei")).build();
        return ByteBuffer.allocate(first.remaining() + second.remaining())
                .put(first)
                .put(second)
                .flip();
    }

    @Test
    void stepsOverWholeBatches() {
        BatchReader reader = new BatchReader(twoBatches());
        RecordBatch first = reader.next();
        RecordBatch second = reader.next();
        assertThat(first).isNotNull();
        assertThat(second).isNotNull();
        assertThat(second.baseOffset()).isEqualTo(1);
        assertThat(reader.next()).isNull();
        assertThat(reader.flaw()).isNull();
    }

    @Test
    void everyCutIsFoundWhereItIs() {
        ByteBuffer whole = twoBatches();
        int firstSize = RecordBatch.at(whole, 0).sizeInBytes();
        for (int cut = 1; cut < whole.limit(); cut++) {
            BatchReader reader = new BatchReader(whole.slice(0, cut));
            int sound = 0;
            while (reader.next() != null) {
                sound++;
            }
            assertThat(sound).isEqualTo(cut < firstSize ? 0 : 1);
            assertThat(reader.flaw()).isEqualTo(cut == firstSize ? null : Flaw.TRUNCATED);
        }
    }

    @Test
    void everyFlippedBitInsideTheChecksummedPartIsFound() {
        ByteBuffer whole = new BatchBuilder().add(LogRecord.of(1, "key", "value")).build();
        for (int bit = RecordBatch.CRC_AT * 8; bit < whole.limit() * 8; bit++) {
            byte before = whole.get(bit / 8);
            whole.put(bit / 8, (byte) (before ^ (1 << (bit % 8))));
            BatchReader reader = new BatchReader(whole);
            assertThat(reader.next()).as("bit %d", bit).isNull();
            assertThat(reader.flaw()).isIn(Flaw.BAD_CHECKSUM, Flaw.BAD_COUNT);
            whole.put(bit / 8, before);
        }
    }

    @Test
    void zerosAreNoBatch() {
        BatchReader reader = new BatchReader(ByteBuffer.allocate(4096));
        assertThat(reader.next()).isNull();
        assertThat(reader.flaw()).isEqualTo(Flaw.EMPTY);
    }

    @Test
    void assigningOffsetsLeavesTheChecksumAlone() {
        ByteBuffer bytes = new BatchBuilder().add(LogRecord.of(1, "key", "value")).build();
        RecordBatch batch = RecordBatch.at(bytes, 0);
        batch.assign(1_000_000_007L, 9);
        assertThat(batch.checksumHolds()).isTrue();
        assertThat(batch.baseOffset()).isEqualTo(1_000_000_007L);
        assertThat(batch.leaderEpoch()).isEqualTo(9);
    }

    @Test
    void appendTimeReplacesTheTimestampsOfAllRecords() {
        ByteBuffer bytes =
                new BatchBuilder()
                        .add(LogRecord.of(1, "a", "1"))
                        .add(LogRecord.of(2, "b", "2"))
                        .build();
        RecordBatch batch = RecordBatch.at(bytes, 0);
        batch.stampAppendTime(99);
        assertThat(batch.checksumHolds()).isTrue();
        assertThat(RecordReader.readAll(batch)).extracting(LogRecord::timestamp).containsOnly(99L);
    }

    @Test
    void sequenceNumbersWrap() {
        BatchBuilder builder = new BatchBuilder().producer(1, (short) 0, Integer.MAX_VALUE);
        ByteBuffer bytes =
                builder.add(LogRecord.of(1, "a", "1")).add(LogRecord.of(1, "b", "2")).build();
        assertThat(RecordBatch.at(bytes, 0).lastSequence()).isZero();
    }

    @Test
    void aBatchThatUnfoldsTooFarIsRefused() {
        ByteBuffer zeros = ByteBuffer.allocate(1 << 20);
        for (Compression compression :
                List.of(Compression.GZIP, Compression.LZ4, Compression.SNAPPY, Compression.ZSTD)) {
            ByteBuffer packed = compression.compress(zeros);
            assertThatThrownBy(() -> compression.decompress(packed, 1 << 16))
                    .isInstanceOf(MalformedBatch.class)
                    .hasMessageContaining("unfolds");
        }
    }

    /// A checksum only says that the bytes are the producer's; what is inside may still be nonsense.
    @Test
    void nonsenseInsideASoundBatchIsMalformedAndNothingElse() {
        Random random = new Random(3);
        for (int round = 0; round < 3_000; round++) {
            ByteBuffer bytes =
                    new BatchBuilder()
                            .compression(Compression.byId(random.nextInt(5)))
                            .add(LogRecord.of(5, "key", "some value that is long enough"))
                            .add(LogRecord.of(6, "key2", "another value"))
                            .build();
            int at =
                    RecordBatch.HEADER_BYTES
                            + random.nextInt(bytes.limit() - RecordBatch.HEADER_BYTES);
            bytes.put(at, (byte) random.nextInt(256));
            bytes.putInt(
                    RecordBatch.RECORD_COUNT_AT, random.nextInt(4) == 0 ? Integer.MAX_VALUE : 2);
            try {
                RecordReader.readAll(RecordBatch.at(bytes, 0));
            } catch (MalformedBatch expected) {
                assertThat(expected).hasMessageNotContaining("null");
            }
        }
    }
}
