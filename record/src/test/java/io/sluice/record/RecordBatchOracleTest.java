package io.sluice.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.record.LogRecord.RecordHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The batch format against Kafka's own classes, in both directions and every compression (Q13).
class RecordBatchOracleTest {
    private static final int ROUNDS = 40;

    @ParameterizedTest
    @EnumSource(Compression.class)
    void whatKafkaWritesWeRead(Compression compression) {
        Random random = new Random(7);
        for (int round = 0; round < ROUNDS; round++) {
            List<LogRecord> expected = randomRecords(random);
            ByteBuffer bytes = kafkaBatch(compression, expected);

            BatchReader reader = new BatchReader(bytes);
            RecordBatch batch = reader.next();

            assertThat(batch).isNotNull();
            assertThat(reader.next()).isNull();
            assertThat(reader.flaw()).isNull();
            assertThat(batch.recordCount()).isEqualTo(expected.size());
            assertThat(batch.producerId()).isEqualTo(77);
            assertThat(batch.baseSequence()).isEqualTo(3);
            assertThat(texts(RecordReader.readAll(batch))).isEqualTo(texts(expected));
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void whatWeWriteKafkaReads(Compression compression) {
        Random random = new Random(11);
        for (int round = 0; round < ROUNDS; round++) {
            List<LogRecord> records = randomRecords(random);
            BatchBuilder builder =
                    new BatchBuilder()
                            .compression(compression)
                            .producer(5, (short) 1, 9)
                            .baseOffset(100);
            records.forEach(builder::add);

            DefaultRecordBatch theirs =
                    (DefaultRecordBatch)
                            MemoryRecords.readableRecords(builder.build())
                                    .batches()
                                    .iterator()
                                    .next();

            theirs.ensureValid();
            assertThat(theirs.baseOffset()).isEqualTo(100);
            assertThat(theirs.lastOffset()).isEqualTo(99 + records.size());
            assertThat(theirs.baseSequence()).isEqualTo(9);
            List<String> read = new ArrayList<>();
            for (Record record : theirs) {
                read.add(text(record.timestamp(), record.key(), record.value(), headersOf(record)));
            }
            assertThat(read).isEqualTo(texts(records));
        }
    }

    private static ByteBuffer kafkaBatch(Compression compression, List<LogRecord> records) {
        SimpleRecord[] theirs = new SimpleRecord[records.size()];
        for (int i = 0; i < theirs.length; i++) {
            LogRecord record = records.get(i);
            RecordHeaders headers = new RecordHeaders();
            record.headers().forEach(header -> headers.add(header.name(), array(header.value())));
            theirs[i] =
                    new SimpleRecord(
                            record.timestamp(),
                            array(record.key()),
                            array(record.value()),
                            headers.toArray());
        }
        return MemoryRecords.withIdempotentRecords(
                        org.apache.kafka.common.compress.Compression.of(compression.label())
                                .build(),
                        77,
                        (short) 2,
                        3,
                        theirs)
                .buffer();
    }

    private static List<LogRecord> randomRecords(Random random) {
        List<LogRecord> records = new ArrayList<>();
        int count = 1 + random.nextInt(20);
        for (int i = 0; i < count; i++) {
            List<RecordHeader> headers = new ArrayList<>();
            for (int h = random.nextInt(3); h > 0; h--) {
                headers.add(new RecordHeader("머리-" + h, randomBytes(random)));
            }
            long timestamp = 1_700_000_000_000L + random.nextInt(100_000) - 50_000;
            records.add(
                    new LogRecord(
                            -1, timestamp, randomBytes(random), randomBytes(random), headers));
        }
        return records;
    }

    private static @Nullable ByteBuffer randomBytes(Random random) {
        if (random.nextInt(6) == 0) {
            return null;
        }
        byte[] bytes = new byte[random.nextInt(5) == 0 ? random.nextInt(9000) : random.nextInt(40)];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static List<RecordHeader> headersOf(Record record) {
        List<RecordHeader> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            headers.add(
                    new RecordHeader(
                            header.key(),
                            header.value() == null ? null : ByteBuffer.wrap(header.value())));
        }
        return headers;
    }

    private static List<String> texts(List<LogRecord> records) {
        return records.stream()
                .map(r -> text(r.timestamp(), r.key(), r.value(), r.headers()))
                .toList();
    }

    private static String text(
            long timestamp,
            @Nullable ByteBuffer key,
            @Nullable ByteBuffer value,
            List<RecordHeader> headers) {
        StringBuilder text =
                new StringBuilder()
                        .append(timestamp)
                        .append('|')
                        .append(latin(key))
                        .append('|')
                        .append(latin(value));
        headers.forEach(
                header ->
                        text.append('|')
                                .append(header.name())
                                .append('=')
                                .append(latin(header.value())));
        return text.toString();
    }

    private static String latin(@Nullable ByteBuffer bytes) {
        return bytes == null
                ? "<null>"
                : StandardCharsets.ISO_8859_1.decode(bytes.duplicate()).toString();
    }

    private static byte @Nullable [] array(@Nullable ByteBuffer bytes) {
        if (bytes == null) {
            return null;
        }
        byte[] array = new byte[bytes.remaining()];
        bytes.duplicate().get(array);
        return array;
    }
}
