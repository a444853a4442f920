package io.sluice.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// Any bytes as batches, as records and as compressed records: what is sound comes out, all else is malformed and nothing worse.
///
/// In a normal test run the inputs kept under `BatchFuzzTestInputs` are replayed. How to search for new ones is in docs/testing.md.
class BatchFuzzTest {
    /// Small, so that an input that unfolds too far is found by a few bytes.
    private static final int LIMIT_BYTES = 64 << 10;

    @FuzzTest(maxDuration = "5m")
    void anyBytesAreBatches(byte[] bytes) {
        List<Integer> sound = positions(new BatchReader(ByteBuffer.wrap(bytes)), bytes);
        List<Integer> whole = positions(new BatchReader(ByteBuffer.wrap(bytes), false), bytes);
        // A checksum can only make a reader stop earlier, never see something else.
        assertThat(whole).hasSizeGreaterThanOrEqualTo(sound.size());
        assertThat(whole.subList(0, sound.size())).isEqualTo(sound);
    }

    /// Where the reader found batches. It goes on, or says why it does not.
    private static List<Integer> positions(BatchReader reader, byte[] bytes) {
        List<Integer> positions = new ArrayList<>();
        int before = 0;
        for (RecordBatch batch; (batch = reader.next()) != null; before = reader.position()) {
            assertThat(reader.position())
                    .isEqualTo(before + batch.sizeInBytes())
                    .isLessThanOrEqualTo(bytes.length);
            assertThat(batch.sizeInBytes()).isGreaterThanOrEqualTo(RecordBatch.HEADER_BYTES);
            assertThat(batch.payload().remaining())
                    .isEqualTo(batch.sizeInBytes() - RecordBatch.HEADER_BYTES);
            positions.add(before);
        }
        assertThat(reader.position()).isEqualTo(before);
        assertThat(reader.flaw() == null).isEqualTo(before == bytes.length);
        assertThat(reader.next()).isNull();
        return positions;
    }

    /// Checksums are left out: they say that the bytes are the producer's, not that they make sense.
    @FuzzTest(maxDuration = "5m")
    void anyBytesAreRecords(byte[] bytes) {
        BatchReader reader = new BatchReader(ByteBuffer.wrap(bytes), false);
        for (RecordBatch batch; (batch = reader.next()) != null; ) {
            List<LogRecord> records;
            try {
                records = RecordReader.readAll(batch);
            } catch (MalformedBatch malformed) {
                assertThat(malformed.getMessage()).isNotBlank();
                continue;
            }
            assertThat(records).hasSize(batch.recordCount());
            for (LogRecord record : records) {
                // As a difference: a batch may claim offsets at the very end of what a long holds.
                assertThat(record.offset() - batch.baseOffset())
                        .isBetween(0L, (long) batch.lastOffsetDelta());
            }
        }
    }

    /// @param bytes the first chooses the compression, the rest is what it compressed, or claims to be
    @FuzzTest(maxDuration = "5m")
    void anyBytesAreCompressed(byte[] bytes) {
        if (bytes.length == 0) {
            return;
        }
        Compression compression = Compression.byId((bytes[0] & 0xff) % 5);
        ByteBuffer packed = ByteBuffer.wrap(bytes).position(1).slice();
        ByteBuffer plain;
        try {
            plain = compression.decompress(packed, LIMIT_BYTES);
        } catch (MalformedBatch malformed) {
            assertThat(malformed.getMessage()).isNotBlank();
            return;
        }
        assertThat(packed.position()).isZero();
        if (compression != Compression.NONE) {
            assertThat(plain.remaining()).isLessThanOrEqualTo(LIMIT_BYTES);
            assertThat(ByteBuffer.wrap(streamed(compression, packed))).isEqualTo(plain);
            ByteBuffer again = compression.compress(plain);
            assertThat(compression.decompress(again, LIMIT_BYTES)).isEqualTo(plain);
        }
    }

    /// What comes little by little is what comes at once.
    private static byte[] streamed(Compression compression, ByteBuffer packed) {
        try (InputStream in = compression.stream(packed, LIMIT_BYTES)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
