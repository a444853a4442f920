package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.AppendResult.Appended;
import io.sluice.log.AppendResult.Reason;
import io.sluice.log.AppendResult.Rejected;
import io.sluice.log.TopicSettings.Parsed;
import io.sluice.record.BatchBuilder;
import io.sluice.record.Compression;
import io.sluice.record.LogRecord;
import io.sluice.record.LogRecord.RecordHeader;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
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

    /// A consumer that cannot parse a record never gets past it.
    @Test
    @DisplayName("Q13: a batch that no consumer could parse is refused")
    void everyLengthInARecordIsCheckedAgainstItsSize() {
        // Attributes, timestamp delta, offset delta, key; value; headers. Lengths are zig-zag: 2 is
        // one byte, 1 is null.
        Map<String, String> flaws = new java.util.LinkedHashMap<>();
        flaws.put("00 00 00 04 6b 01 00", "a key of 2 bytes, one into the value's length");
        flaws.put("00 00 00 7e 6b 01 00", "a key far beyond the record");
        flaws.put("00 00 00 03 01 00", "a key of -2 bytes");
        flaws.put("00 00 00 02 6b 7e 00", "a value far beyond the record");
        flaws.put("00 00 00 02 6b 03 00", "a value of -2 bytes");
        flaws.put("00 00 00 02 6b 01 01", "-1 headers");
        flaws.put("00 00 00 02 6b 01 02", "a header that is not there");
        flaws.put("00 00 00 02 6b 01 02 01 01", "a header without a name");
        flaws.put("00 00 00 02 6b 01 02 7e 61 01", "a header's name far beyond the record");
        flaws.put("00 00 00 02 6b 01 02 02 61 7e", "a header's value far beyond the record");
        flaws.put("00 00 00 02 6b 01 02 02 61 03", "a header's value of -2 bytes");
        flaws.put("00 00 00 02 6b 01 00 00", "a byte behind the headers");
        flaws.put("00 00 00 82 80 80 80 80 00 6b 01 00", "a length of six bytes");
        flaws.put("00 00 00 fe ff ff ff 7f 6b 01 00", "a length of more than 32 bits");
        flaws.put("00 ff ff ff ff ff ff ff ff ff ff 00 00 02 6b 01 00", "a time of twelve bytes");
        flaws.put("00 00", "nothing but a timestamp");
        for (Compression compression : Compression.values()) {
            LogFixture log = new LogFixture();
            flaws.forEach(
                    (record, flaw) ->
                            assertThat(rejected(log, twoRecords(record, compression)).reason())
                                    .as("%s, %s", flaw, compression)
                                    .isEqualTo(Reason.INVALID_RECORD));
            assertThat(log.log.endOffset()).isZero();
            log.append(twoRecords("00 00 00 02 6b 01 02 02 61 01", compression));
            LogRecord first = RecordReader.readAll(onlyBatch(log)).getFirst();
            assertThat(first.value()).isNull();
            assertThat(first.headers()).hasSize(1);
        }
    }

    /// The first one as given, behind its right size; then a sound one, into which a wrong length may lead.
    private static ByteBuffer twoRecords(String first, Compression compression) {
        byte[] given = HexFormat.of().parseHex(first.replace(" ", ""));
        byte[] second = HexFormat.of().parseHex("000002026b0276 00".replace(" ", ""));
        ByteBuffer records = ByteBuffer.allocate(given.length + second.length + 2);
        records.put((byte) (2 * given.length)).put(given);
        records.put((byte) (2 * second.length)).put(second);
        ByteBuffer payload = compression.compress(records.flip());
        ByteBuffer template =
                new BatchBuilder()
                        .add(LogRecord.of(NOW, "k", "v"))
                        .add(LogRecord.of(NOW, "k", "v"))
                        .build();
        ByteBuffer batch =
                ByteBuffer.allocate(RecordBatch.HEADER_BYTES + payload.remaining())
                        .put(template.slice(0, RecordBatch.HEADER_BYTES))
                        .put(payload)
                        .flip();
        batch.putInt(8, batch.limit() - RecordBatch.PREFIX_BYTES);
        batch.putShort(21, (short) compression.id());
        reseal(batch);
        return batch;
    }

    /// As Apache Kafka does. Believed, it would keep a segment from expiring and lead lookups by time astray.
    @Test
    @DisplayName("Q4: a header's latest time is what its records say")
    void aLatestTimestampThatNoRecordHasIsPutRight() {
        for (Compression compression : Compression.values()) {
            for (long lie : new long[] {NOW + 1_000_000_000_000L, NOW - 1, -1, Long.MIN_VALUE}) {
                LogFixture log = new LogFixture();
                log.append(claiming(lie, compression, NOW - 10, NOW, NOW - 5));
                RecordBatch stored = onlyBatch(log);
                assertThat(stored.maxTimestamp()).as("%s, %d", compression, lie).isEqualTo(NOW);
                assertThat(stored.checksumHolds()).isTrue();
            }
        }
    }

    @Test
    void aRecordsOwnTimeCountsWhateverTheHeaderSays() {
        for (Compression compression : Compression.values()) {
            LogFixture log = new LogFixture(settings("message.timestamp.before.max.ms", "1000"));
            for (long wrong :
                    new long[] {
                        NOW + 3_600_001, NOW - 1001, Long.MAX_VALUE, Long.MIN_VALUE, 0, -2
                    }) {
                assertThat(rejected(log, claiming(NOW, compression, NOW, wrong, NOW)).reason())
                        .as("%s, %d", compression, wrong)
                        .isEqualTo(Reason.INVALID_TIMESTAMP);
            }
            assertThat(log.log.endOffset()).isZero();
            log.append(claiming(NOW, compression, NOW, RecordBatch.NO_TIMESTAMP, NOW));
        }
        assertThat(
                        rejected(
                                        new LogFixture(),
                                        claiming(NOW, Compression.NONE, NOW, Long.MIN_VALUE))
                                .reason())
                .isEqualTo(Reason.INVALID_TIMESTAMP);
    }

    private static ByteBuffer claiming(long max, Compression compression, long... timestamps) {
        BatchBuilder builder = new BatchBuilder().compression(compression);
        for (long timestamp : timestamps) {
            builder.add(LogRecord.of(timestamp, "k", "v"));
        }
        ByteBuffer batch = builder.build();
        batch.putLong(35, max);
        reseal(batch);
        return batch;
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

    /// They are small, and unfold to little, but would fill the heap of whoever parses them: of the broker, too, when it compacts or looks for a time.
    @Test
    void aBatchOfTooManyRecordsOrHeadersIsRefused() {
        LogFixture log = new LogFixture();
        RecordHeader empty = new RecordHeader("", null);
        LogRecord headers =
                new LogRecord(-1, NOW, null, null, Collections.nCopies(1_000_000, empty));
        BatchBuilder records = new BatchBuilder().compression(Compression.ZSTD);
        for (int i = 0; i < 1_000_000; i++) {
            records.add(NOW, null, null);
        }
        for (ByteBuffer batch :
                List.of(
                        new BatchBuilder().compression(Compression.ZSTD).add(headers).build(),
                        records.build())) {
            assertThat(batch.remaining()).isLessThan(1 << 20);
            Rejected rejected = rejected(log, batch);
            // What producers answer by sending smaller batches.
            assertThat(rejected.reason()).isEqualTo(Reason.MESSAGE_TOO_LARGE);
            assertThat(rejected.sentence()).contains("send smaller batches");
        }
        LogRecord some = new LogRecord(-1, NOW, null, null, Collections.nCopies(10_000, empty));
        log.append(new BatchBuilder().compression(Compression.ZSTD).add(some).build());
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
