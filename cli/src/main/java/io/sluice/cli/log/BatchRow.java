package io.sluice.cli.log;

import io.sluice.cli.output.BytesText;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import io.sluice.record.Compression;
import io.sluice.record.LogRecord;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A batch or a record on disk as a row.
///
/// Stateless.
final class BatchRow {
    private BatchRow() {}

    static Fields of(String partition, String file, long position, RecordBatch batch) {
        return Fields.of("partition", Value.text(partition))
                .with("baseOffset", Value.count(batch.baseOffset()))
                .with("lastOffset", Value.count(batch.lastOffset()))
                .with("records", Value.count(batch.recordCount()))
                .with("sizeBytes", Value.bytes(batch.sizeInBytes()))
                .with("compression", Value.text(compression(batch)))
                .with("maxTimestamp", time(batch.maxTimestamp()))
                .with("timestampType", Value.text(batch.hasAppendTime() ? "append" : "create"))
                .with("leaderEpoch", Value.count(batch.leaderEpoch()))
                .with("producer", producer(batch))
                .with("kind", Value.text(kind(batch)))
                .with("checksum", Value.text(Integer.toHexString(batch.checksum())))
                .with("file", Value.text(file))
                .with("filePosition", Value.count(position));
    }

    static Fields of(String partition, LogRecord record, boolean forPeople) {
        Fields row =
                Fields.of("partition", Value.text(partition))
                        .with("offset", Value.count(record.offset()))
                        .with("timestamp", time(record.timestamp()));
        row = BytesText.add(row, "key", bytes(record.key()), forPeople);
        row = BytesText.add(row, "value", bytes(record.value()), forPeople);
        Fields headers = Fields.none();
        for (LogRecord.RecordHeader header : record.headers()) {
            headers = headers.with(header.name(), BytesText.shown(bytes(header.value())));
        }
        return row.with("headers", headers);
    }

    private static String compression(RecordBatch batch) {
        try {
            return Compression.byId(batch.compressionId()).label();
        } catch (MalformedBatch e) {
            return "unknown (" + batch.compressionId() + ")";
        }
    }

    private static Value producer(RecordBatch batch) {
        return batch.hasProducerId()
                ? Value.text(
                        "%d/%d#%d"
                                .formatted(
                                        batch.producerId(),
                                        batch.producerEpoch(),
                                        batch.baseSequence()))
                : Value.absent();
    }

    private static String kind(RecordBatch batch) {
        if (batch.isControl()) {
            return "control";
        }
        return batch.isTransactional() ? "transaction" : "data";
    }

    private static Value time(long millis) {
        return millis < 0 ? Value.absent() : Value.time(Instant.ofEpochMilli(millis));
    }

    private static byte @Nullable [] bytes(@Nullable ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
