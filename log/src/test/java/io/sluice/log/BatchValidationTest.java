package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.AppendResult.Appended;
import io.sluice.log.AppendResult.Reason;
import io.sluice.log.AppendResult.Rejected;
import io.sluice.log.TopicSettings.Parsed;
import io.sluice.record.BatchBuilder;
import io.sluice.record.Compression;
import io.sluice.record.LogRecord;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class BatchValidationTest {
    private static final long NOW = ManualClock.START_MILLIS;

    @Test
    @DisplayName("Q13: a batch with a wrong checksum is refused")
    void everyFlippedByteIsRefused() {
        LogFixture log = new LogFixture();
        byte[] sound = bytes(LogFixture.batch("value"));
        for (int at = 8; at < sound.length; at++) {
            if (at >= 12 && at < 16) {
                continue; // The leader epoch is the broker's to set.
            }
            byte[] broken = sound.clone();
            broken[at] ^= 1;
            assertThat(log.log.append(ByteBuffer.wrap(broken), 0))
                    .as("byte %d", at)
                    .isInstanceOf(Rejected.class);
        }
        assertThat(log.log.endOffset()).isZero();
    }

    @Test
    void everyTruncationIsRefused() {
        LogFixture log = new LogFixture();
        ByteBuffer sound = LogFixture.batch("value");
        for (int length = 0; length < sound.remaining(); length++) {
            assertThat(log.log.append(sound.slice(0, length), 0)).isInstanceOf(Rejected.class);
        }
    }

    @Test
    @DisplayName("Q1: a batch above the limit gets a clear error")
    void tooLargeBatchIsRefused() {
        LogFixture log = new LogFixture(settings("max.message.bytes", "200"));
        Rejected rejected = rejected(log, LogFixture.batch("x".repeat(200)));
        assertThat(rejected.reason()).isEqualTo(Reason.MESSAGE_TOO_LARGE);
        assertThat(rejected.sentence()).contains("max.message.bytes of the topic is 200");
        log.append(LogFixture.batch("small"));
    }

    @Test
    void recordCountMustMatchTheLastOffset() {
        ByteBuffer batch = LogFixture.batch("a", "b");
        patched(batch, 57, 1);
        assertThat(rejected(new LogFixture(), batch).reason()).isEqualTo(Reason.INVALID_RECORD);
        ByteBuffer claimsMore = LogFixture.batch("a", "b");
        claimsMore.putInt(23, 9);
        patched(claimsMore, 57, 10);
        assertThat(rejected(new LogFixture(), claimsMore).reason())
                .isEqualTo(Reason.INVALID_RECORD);
    }

    @Test
    void unknownCompressionIsRefused() {
        ByteBuffer batch = LogFixture.batch("a");
        batch.putShort(21, (short) 7);
        reseal(batch);
        assertThat(rejected(new LogFixture(), batch).reason())
                .isEqualTo(Reason.UNSUPPORTED_COMPRESSION);
    }

    @Test
    void controlBatchesAreTheBrokersOwn() {
        ByteBuffer batch = new BatchBuilder().control().add(LogRecord.of(NOW, "k", "v")).build();
        assertThat(rejected(new LogFixture(), batch).reason()).isEqualTo(Reason.INVALID_RECORD);
    }

    @Test
    void transactionsAreRefusedWhileThereAreNone() {
        LogFixture log = new LogFixture();
        ByteBuffer batch =
                new BatchBuilder()
                        .producer(7, (short) 0, 0)
                        .transactional()
                        .add(LogRecord.of(NOW, "k", "v"))
                        .build();
        assertThat(rejected(log, batch).reason()).isEqualTo(Reason.INVALID_RECORD);
    }

    @Test
    void oldFormatIsRefused() {
        ByteBuffer batch = LogFixture.batch("a");
        batch.put(16, (byte) 1);
        assertThat(rejected(new LogFixture(), batch).reason()).isEqualTo(Reason.UNSUPPORTED_FORMAT);
    }

    @Test
    void timestampsMustBeNearTheBrokersTime() {
        LogFixture log = new LogFixture(settings("message.timestamp.before.max.ms", "1000"));
        assertThat(rejected(log, at(NOW + 3_600_001)).reason()).isEqualTo(Reason.INVALID_TIMESTAMP);
        assertThat(rejected(log, at(NOW - 1001)).reason()).isEqualTo(Reason.INVALID_TIMESTAMP);
        log.append(at(NOW + 3_600_000));
        log.append(at(NOW - 1000));
    }

    @Test
    void appendTimeReplacesTheProducersTime() {
        LogFixture log = new LogFixture(settings("message.timestamp.type", "LogAppendTime"));
        Appended appended = log.append(at(5));
        assertThat(appended.appendTimeMillis()).isEqualTo(NOW);
        RecordBatch stored = onlyBatch(log);
        assertThat(stored.checksumHolds()).isTrue();
        assertThat(RecordReader.readAll(stored).getFirst().timestamp()).isEqualTo(NOW);
    }

    @Test
    void compactedTopicNeedsKeys() {
        LogFixture log = new LogFixture(settings("cleanup.policy", "compact"));
        ByteBuffer value = ByteBuffer.wrap(new byte[] {1});
        for (Compression compression : Compression.values()) {
            ByteBuffer keyless =
                    new BatchBuilder()
                            .compression(compression)
                            .add(LogRecord.of(NOW, "k", "v"))
                            .add(NOW, null, value)
                            .build();
            assertThat(rejected(log, keyless).reason()).isEqualTo(Reason.INVALID_RECORD);
        }
        log.append(LogFixture.batch("v"));
    }

    @Test
    void topicCanChooseItsCompression() {
        LogFixture log = new LogFixture(settings("compression.type", "zstd"));
        log.append(LogFixture.batch("a", "b"));
        assertThat(onlyBatch(log).compressionId()).isEqualTo(Compression.ZSTD.id());
        assertThat(log.values()).containsExactly("a", "b");
        LogFixture plain = new LogFixture(settings("compression.type", "uncompressed"));
        plain.append(
                new BatchBuilder()
                        .compression(Compression.LZ4)
                        .producer(7, (short) 1, 5)
                        .add(LogRecord.of(NOW, "k", "v"))
                        .build());
        assertThat(onlyBatch(plain).compressionId()).isEqualTo(Compression.NONE.id());
        assertThat(onlyBatch(plain).producerId()).isEqualTo(7);
        assertThat(onlyBatch(plain).baseSequence()).isEqualTo(5);
    }

    @Test
    void compressedNonsenseIsRefused() {
        LogFixture log = new LogFixture();
        for (Compression compression : Compression.values()) {
            ByteBuffer batch = LogFixture.batch("a");
            batch.putShort(21, (short) compression.id());
            reseal(batch);
            if (compression != Compression.NONE) {
                assertThat(rejected(log, batch).reason())
                        .as(compression.label())
                        .isEqualTo(Reason.INVALID_RECORD);
            }
        }
        assertThat(log.log.endOffset()).isZero();
    }

    @Test
    void aCompressedBatchHoldsAsManyRecordsAsItClaims() {
        for (Compression compression : Compression.values()) {
            LogFixture log = new LogFixture();
            BatchBuilder builder = new BatchBuilder().compression(compression);
            for (int i = 0; i < 500; i++) {
                builder.add(LogRecord.of(NOW, "key " + i, "value ".repeat(i)));
            }
            ByteBuffer good = builder.build();
            ByteBuffer tooFew = ByteBuffer.wrap(bytes(good));
            tooFew.putInt(23, 498).putInt(57, 499);
            reseal(tooFew);
            ByteBuffer tooMany = ByteBuffer.wrap(bytes(good));
            tooMany.putInt(23, 500).putInt(57, 501);
            reseal(tooMany);
            assertThat(rejected(log, tooFew).sentence()).as(compression.label()).contains("behind");
            assertThat(rejected(log, tooMany).reason()).isEqualTo(Reason.INVALID_RECORD);
            log.append(good);
            assertThat(log.log.endOffset()).isEqualTo(500);
        }
    }

    @Test
    void aBatchThatUnfoldsIntoFarMoreThanItIsIsRefused() {
        LogFixture log = new LogFixture();
        ByteBuffer zeros = ByteBuffer.allocate(64 << 20);
        ByteBuffer bomb =
                new BatchBuilder().compression(Compression.ZSTD).add(NOW, null, zeros).build();
        assertThat(bomb.remaining()).isLessThan(1 << 20);
        assertThat(rejected(log, bomb).sentence()).contains("unfolds to more than");
    }

    private static ByteBuffer at(long timestamp) {
        return new BatchBuilder().add(LogRecord.of(timestamp, "k", "v")).build();
    }

    private static RecordBatch onlyBatch(LogFixture log) {
        return LogFixture.batches(((ReadResult.Found) log.read(0, 1 << 20)).records()).getFirst();
    }

    static TopicSettings settings(String... pairs) {
        Map<String, String> given = new java.util.TreeMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            given.put(pairs[i], pairs[i + 1]);
        }
        return ((Parsed.Valid) TopicSettings.parse(given)).settings();
    }

    private static Rejected rejected(LogFixture log, ByteBuffer batch) {
        AppendResult result = log.log.append(batch, 0);
        assertThat(result).isInstanceOf(Rejected.class);
        return (Rejected) result;
    }

    private static void patched(ByteBuffer batch, int at, int value) {
        batch.putInt(at, value);
        reseal(batch);
    }

    private static void reseal(ByteBuffer batch) {
        batch.putInt(17, RecordBatch.at(batch, 0).computeChecksum());
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }
}
